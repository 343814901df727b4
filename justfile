# Short names for the commands of CONTRIBUTING.md.

# All tests
test:
    scripts/test

# Everything that CI checks
ci:
    .ci/run

# The race detector and golangci-lint, on the Go runtimes
lint:
    scripts/lint

# Benchmarks against the same work done manually and against installed peers
bench:
    scripts/bench/run

# Regenerate docs/rules.md, docs/conformance.md and docs/reference.md
docs:
    AOS_UPDATE_DOCS=1 cargo test --locked --test docs

# Accept changed snapshots; look at the difference first
snapshots:
    INSTA_UPDATE=always cargo test --locked --test cli

# Change the code of rules, plans, writes and verification in one place at a time, and see whether a unit test fails.
# One part of the mutations: `just mutants 0/50`. Needs `cargo install cargo-mutants --locked`.
mutants shard="0/1":
    cargo mutants --shard {{shard}}
