//! Programs in a pseudo-terminal: the driver on well-known ones, and the terminal guard on a process of its own.

#[path = "../common/pty.rs"]
mod pty;

mod driver;
mod guard;
