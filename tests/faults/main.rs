//! Durability of the real binary: killed at every system call that changes something, refused by the disk, interrupted,
//! locked out, and met with damaged journals. After each, nothing that was said to be saved is lost, the findings file is
//! whole at every moment, and the resumed run ends with the file that an undisturbed run writes.
//!
//! `cargo test --test faults` runs the quick part; `-- --ignored` the part under strace, which takes minutes.

#[path = "../common/bench.rs"]
mod bench;

mod check;
mod damage;
mod errors;
mod journal;
mod kills;
mod order;
mod processes;
mod strace;
mod subject;
