//! The `tamis` binary: everything lives in the library.

fn main() -> std::process::ExitCode {
    tamis::cli::main()
}
