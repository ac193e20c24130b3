use crate::stage::*;
#[test]
fn look() {
    let mut stage = Stage::settling();
    for size in SIZES {
        println!("{size:?}\n{}", stage.screen(size));
    }
    stage.keys("n n");
    for size in SIZES {
        println!("{size:?}\n{}", stage.screen(size));
    }
    stage.keys("p b p");
    for size in SIZES {
        println!("{size:?}\n{}", stage.screen(size));
    }
    stage.keys("m");
    for size in SIZES {
        println!("{size:?}\n{}", stage.screen(size));
    }
    stage.keys("esc f4");
    for size in SIZES {
        println!("{size:?}\n{}", stage.screen(size));
    }
}
