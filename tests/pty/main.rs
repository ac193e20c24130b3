//! Programs in a pseudo-terminal: the driver on well-known ones, the terminal guard on a process of its own, and the real
//! program as a person at a terminal meets it.

#[path = "../common/pty.rs"]
mod pty;

mod desk;
mod driver;
mod facts;
mod flow;
mod guard;
mod tmux;
