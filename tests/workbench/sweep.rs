//! Every screen under every layer in every state at every kind of size: nothing breaks, nothing leaves its area, and the
//! caret stands where text is typed and nowhere else.

use crate::scenes::{Play, State, layers, takes_text};
use crate::stage::Stage;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Rect;
use tamis::tui::app::settle_scrolls;
use tamis::tui::model::Screen;
use tamis::tui::picture::buffer_to_text;
use tamis::tui::screens::{self, SMALLEST};

const TEXT: &str = "Người dùng đăng nhập 需求文档\nthe second line of it";

/// Draws the stage at a size and holds the frame against what is true of every frame.
fn check(stage: &mut Stage, what: &str, (width, height): (u16, u16)) -> Buffer {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    let drawn = screens::draw(&stage.model, &mut buffer);
    settle_scrolls(&mut stage.model, &drawn);
    let here = || format!("{what} at {width}x{height}");
    assert_eq!(buffer.area, area, "{}", here());
    for y in if width == 0 { 0..0 } else { 0..height } {
        let last = &buffer[(width - 1, y)];
        assert!(last.cell_width() <= 1, "{}: a wide character hangs over the edge of row {y}", here());
    }
    let large_enough = width >= SMALLEST.0 && height >= SMALLEST.1;
    let types = stage.model.layers.last().is_some_and(takes_text);
    assert_eq!(drawn.caret.is_some(), large_enough && types, "{}: the caret", here());
    if let Some(caret) = drawn.caret {
        assert!(area.contains(caret), "{}: the caret stands at {caret}", here());
    }
    buffer
}

/// Calls with every screen under every layer of a state.
fn each_frame(state: State, mut with: impl FnMut(&mut Stage, &str)) {
    let mut stage = Play::bundled().stage(state);
    stage.model.layers.clear();
    for screen in Screen::ALL {
        stage.model.screen = screen;
        for layer in layers(&stage.model, TEXT) {
            let what = format!("{state:?} {screen:?} {layer:?}").chars().take(120).collect::<String>();
            stage.model.layers.extend(layer);
            with(&mut stage, &what);
            stage.model.layers.clear();
        }
    }
}

#[test]
fn every_frame_at_changing_sizes() {
    // Each frame sees the smallest and the usual size and some of the others; all frames together see every one.
    let widths = [40, 41, 47, 59, 60, 61, 79, 99, 100, 101, 119, 160, 200];
    let heights = [10, 11, 12, 13, 15, 19, 23, 25, 33, 50, 60];
    let mut sizes = heights.iter().flat_map(|&height| widths.map(|width| (width, height))).cycle();
    for state in State::ALL {
        each_frame(state, |stage, what| {
            check(stage, what, (40, 10));
            check(stage, what, (80, 24));
            for size in sizes.by_ref().take(2) {
                check(stage, what, size);
            }
        });
    }
}

#[test]
fn every_screen_at_every_size_of_a_sweep() {
    let widths = [0, 1, 2, 3, 7, 24, 39, 40, 42, 50, 60, 72, 80, 90, 100, 120, 132, 180, 200];
    let heights = [0, 1, 2, 3, 5, 9, 10, 11, 13, 16, 20, 24, 31, 40, 60];
    for state in [State::Midway, State::Round, State::Settling, State::Ended] {
        let mut stage = Play::bundled().stage(state);
        for screen in Screen::ALL {
            stage.model.screen = screen;
            for size in heights.iter().flat_map(|&height| widths.map(|width| (width, height))) {
                check(&mut stage, &format!("{state:?} {screen:?}"), size);
            }
        }
    }
}

#[test]
fn panes_that_are_opened_at_every_kind_of_size() {
    let sizes = [(40, 10), (41, 11), (59, 13), (80, 24), (100, 10), (120, 40), (200, 60)];
    let mut midway = Play::bundled().stage(State::Midway);
    midway.keys("down enter");
    assert!(midway.model.run.output.is_some());
    for keys in ["f", "up", "pageup", "home", "end", "down", "f"] {
        midway.keys(keys);
        for size in sizes {
            midway.size = size;
            check(&mut midway, "the output", size);
        }
    }
    let mut settling = Play::bundled().stage(State::Settling);
    settling.keys("f5 enter");
    for keys in ["pagedown", "end", "home", "*", "s", "t", "t"] {
        settling.keys(keys);
        for size in sizes {
            check(&mut settling, "a finding", size);
        }
    }
    for screen in Screen::ALL {
        settling.model.screen = screen;
        for keys in ["end", "pageup", "pagedown", "home", "pagedown pagedown"] {
            settling.keys(keys);
            for size in sizes {
                settling.size = size;
                check(&mut settling, keys, size);
            }
        }
    }
}

#[test]
fn below_the_smallest_size_there_is_one_message_whatever_the_screen() {
    for size in [(1, 1), (39, 9), (39, 24), (80, 9), (24, 1), (1, 80), (24, 0), (0, 80), (0, 0)] {
        let mut first = None;
        for state in State::ALL {
            each_frame(state, |stage, what| {
                let text = buffer_to_text(&check(stage, what, size));
                assert_eq!(first.get_or_insert_with(|| text.clone()), &text, "{what} at {size:?}");
            });
        }
        let text = first.expect("frames");
        assert_eq!(text.trim().is_empty(), size.0 == 0 || size.1 == 0, "{size:?}: {text:?}");
        if size.0 >= 39 {
            assert!(text.contains("40x10") && text.contains(&format!("{}x{}", size.0, size.1)), "{text:?}");
        }
    }
}

#[test]
fn a_very_large_terminal_is_filled() {
    for state in [State::Start, State::Midway, State::Round, State::Settling, State::Ended] {
        let mut stage = Play::bundled().stage(state);
        for screen in Screen::ALL {
            stage.model.screen = screen;
            check(&mut stage, &format!("{state:?} {screen:?}"), (500, 1000));
        }
    }
    let mut stage = Play::bundled().stage(State::Settling);
    for layer in layers(&stage.model, TEXT) {
        stage.model.layers.extend(layer);
        check(&mut stage, "a layer", (1000, 500));
        stage.model.layers.clear();
    }
}
