# Short names for the commands of CONTRIBUTING.md.

# All tests
test:
    scripts/test

# Everything that CI checks
ci:
    .ci/run

# Benchmarks against the same work done manually and against installed peers
bench:
    scripts/bench/run

# Regenerate docs/rules.md, docs/conformance.md and docs/reference.md
docs:
    AOS_UPDATE_DOCS=1 cargo test --locked --test docs

# Accept changed snapshots; look at the difference first
snapshots:
    INSTA_UPDATE=always cargo test --locked --test cli
