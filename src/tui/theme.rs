//! How each role of the workbench looks. Views ask for roles; colours stand in theme files only.

use super::colours::{NAMES, Rgb, indexed, nearest, number_of};
use super::theme_file;
use crate::model::fault::Fault;
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use std::path::Path;

pub use super::theme_file::DEFAULT;

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident),+ $(,)?) => {
        /// What a piece of the screen means. In theme files in snake case: `border_focus`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Role { $($(#[$doc])* $role),+ }

        impl Role {
            /// All roles, in their order.
            pub const ALL: &'static [Role] = &[$(Role::$role),+];
        }
    };
}

roles! {
    /// Text without further meaning, and the ground of the whole screen.
    Text,
    /// What matters less: times, counts of nothing, what is done.
    Dim,
    /// The heading of a screen or pane.
    Title,
    /// The frame of a pane.
    Border,
    /// The frame of the pane that has the keyboard.
    BorderFocus,
    /// The row under the cursor. Reverses what stands in it, so that every role keeps its contrast there.
    Selected,
    /// A row that a person picked for a command on several.
    Marked,
    /// The name of a key in the footer and in help.
    Key,
    /// What a key does, and other advice.
    Hint,
    /// Something went well and is said once.
    Notice,
    /// Something to look at.
    Warning,
    /// Something failed and stays until it is read.
    Error,
    /// Severity critical.
    Critical,
    /// Severity major.
    Major,
    /// Severity minor.
    Minor,
    /// An agent that waits for its turn.
    Waiting,
    /// An agent that runs.
    Running,
    /// An agent that answered.
    Done,
    /// An agent that ended without an answer.
    Failed,
    /// Waits for a person.
    NeedsYou,
    /// A hole that a person accepted.
    Hole,
    /// Not part of the plan.
    NotCovered,
    /// Words or lines that are new.
    Added,
    /// Words or lines that go.
    Removed,
    /// Words quoted from the document.
    Quote,
    /// The number of a line of the document.
    LineNumber,
    /// The letter and name of an option of a conflict.
    OptionLabel,
    /// The option that is chosen.
    Chosen,
    /// What is put off with a reason.
    Deferred,
    /// A policy question: no default, no bulk answer.
    Policy,
    /// A round that found nothing new.
    Dry,
    /// A round that found something new.
    Wet,
    /// The ground of a text field, and what is written in it.
    Field,
    /// The same where the field has the keyboard.
    FieldFocus,
    /// The cell of the caret, where the terminal's own is not drawn (pictures).
    Caret,
    /// What a search found.
    Search,
}

impl Role {
    /// The marks that tell the role without colours. Nothing is underlined that people read much of: the line cuts
    /// through the marks below Vietnamese letters.
    pub fn marks(self) -> Modifier {
        match self {
            Role::Title | Role::BorderFocus | Role::Marked | Role::Key | Role::Warning | Role::Major | Role::Running => {
                Modifier::BOLD
            }
            Role::Added | Role::OptionLabel | Role::Wet | Role::FieldFocus => Modifier::BOLD,
            Role::Dim | Role::Border | Role::Waiting | Role::NotCovered | Role::Removed => Modifier::DIM,
            Role::LineNumber | Role::Deferred | Role::Dry => Modifier::DIM,
            Role::Selected | Role::Caret => Modifier::REVERSED,
            Role::Error | Role::Critical | Role::Failed | Role::Policy | Role::Search => {
                Modifier::BOLD.union(Modifier::UNDERLINED)
            }
            Role::Hole => Modifier::UNDERLINED,
            Role::NeedsYou | Role::Chosen => Modifier::BOLD.union(Modifier::REVERSED),
            Role::Text | Role::Hint | Role::Notice | Role::Minor | Role::Done | Role::Quote | Role::Field => Modifier::empty(),
        }
    }
}

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None, or none are wanted.
    None,
    /// Its own 16.
    Sixteen,
    /// Those and 240 fixed ones.
    TwoFiftySix,
    /// Any.
    Full,
}

impl Depth {
    /// Chosen from the values of `NO_COLOR`, `COLORTERM` and `TERM`. An empty `NO_COLOR` counts as unset.
    pub fn choose(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Depth {
        let term = term.unwrap_or_default();
        if no_color.is_some_and(|value| !value.is_empty()) || term == "dumb" {
            return Depth::None;
        }
        if colorterm.is_some_and(|value| value == "truecolor" || value == "24bit") || term.contains("direct") {
            return Depth::Full;
        }
        let old = ["", "linux", "ansi", "cygwin", "xterm", "screen", "tmux", "rxvt", "xterm-color", "xterm-16color"];
        if old.contains(&term) || term.starts_with("vt") { Depth::Sixteen } else { Depth::TwoFiftySix }
    }
}

/// A theme: the style of each role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    name: String,
    /// In the order of [`Role::ALL`].
    styles: Vec<Style>,
}

impl Theme {
    /// Loads a theme: a path where the name contains `/` or ends in `.yaml` or `.yml`, else the file of that name in
    /// the user's folder of themes, else the built-in one.
    ///
    /// # Errors
    /// A usage fault for an unknown name (with the nearest one and all there are) and for a file that is no theme,
    /// with file, line and column; an input fault for a file that cannot be read.
    pub fn load(name_or_path: &str, user_dir: Option<&Path>) -> Result<Theme, Fault> {
        theme_file::load(name_or_path, user_dir)
    }

    /// The names that can be loaded: the built-in ones, then the user's others.
    pub fn names(user_dir: Option<&Path>) -> Vec<String> {
        theme_file::names(user_dir)
    }

    pub(super) fn new(name: String, style: impl Fn(Role) -> Style) -> Theme {
        Theme { name, styles: Role::ALL.iter().map(|&role| style(role)).collect() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The style of a role. [`Role::Text`] holds the ground of the screen; the others say what differs from it.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// The theme for a terminal with so many colours.
    pub fn in_depth(self, depth: Depth) -> Theme {
        match depth {
            Depth::None => self.without_colours(),
            Depth::Sixteen => self.in_16(),
            Depth::TwoFiftySix => self.in_256(),
            Depth::Full => self,
        }
    }

    /// No colours: each role by its marks ([`Role::marks`]), the same for all themes.
    pub fn without_colours(self) -> Theme {
        let plain = |role: Role| Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(role.marks());
        Theme::new(self.name, plain)
    }

    /// Each colour of its own as the nearest of the 240 fixed ones.
    pub fn in_256(self) -> Theme {
        self.mapped(16..=255, Color::Indexed)
    }

    /// Each colour of its own as the nearest of the terminal's 16, as xterm shows them.
    pub fn in_16(self) -> Theme {
        self.mapped(0..=15, |number| NAMES[usize::from(number)].1)
    }

    fn mapped(self, numbers: std::ops::RangeInclusive<u8>, color: fn(u8) -> Color) -> Theme {
        let ground = |style: Style| style.bg.and_then(rgb);
        let mapped_ground = |rgb: Rgb| nearest(rgb, numbers.clone(), &[]);
        // What has no ground of its own may stand on any of these.
        let grounds: Vec<(Rgb, Rgb)> = [Role::Text, Role::Field, Role::FieldFocus]
            .into_iter()
            .filter_map(|role| ground(self.style(role)))
            .map(|rgb| (rgb, indexed(mapped_ground(rgb))))
            .collect();
        let map = |role: Role| {
            let mut style = self.style(role);
            let own: Vec<(Rgb, Rgb)> = match ground(style) {
                Some(own) if role != Role::Text => vec![(own, indexed(mapped_ground(own)))],
                _ => grounds.clone(),
            };
            if let Some(Color::Rgb(red, green, blue)) = style.bg {
                style.bg = Some(color(mapped_ground([red, green, blue])));
            }
            if let Some(Color::Rgb(red, green, blue)) = style.fg {
                style.fg = Some(color(nearest([red, green, blue], numbers.clone(), &own)));
            }
            style
        };
        Theme::new(self.name.clone(), map)
    }
}

/// The parts of a colour, where they are known: of the 16 and 256 colours as xterm shows them.
fn rgb(color: Color) -> Option<Rgb> {
    match color {
        Color::Reset => None,
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(number) => Some(indexed(number)),
        named => number_of(named).and_then(|number| u8::try_from(number).ok()).map(indexed),
    }
}

#[cfg(test)]
#[path = "theme_tests.rs"]
mod tests;
