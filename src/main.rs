//! The `aos` binary.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(aos::run::main(std::env::args_os().collect()))
}
