//! The rules, one file each. A new rule is a file with its `RULE` and one line in [`ALL`].

mod a01;
mod a04;
mod b01a;
mod b02;
mod c01;
mod g01;
mod m02;
mod p01;
mod s01;
mod t01;
mod x01;
mod x02;

use super::rule::Rule;

/// Every rule, in the order of the ids.
pub static ALL: &[Rule] = &[
    a01::RULE,
    a04::RULE,
    b01a::RULE,
    b02::RULE,
    c01::RULE,
    g01::RULE,
    m02::RULE,
    p01::RULE,
    s01::RULE,
    t01::RULE,
    x01::RULE,
    x02::RULE,
];
