# Short names for the commands of CONTRIBUTING.md.

# All tests
test:
    scripts/test

# Everything that CI checks
ci:
    .ci/run

# Figures against the same work done by hand and against installed peers
bench:
    scripts/bench/run

# Write docs/rules.md and docs/reference.md anew
docs:
    AOS_UPDATE_DOCS=1 cargo test --locked --test docs

# Accept changed snapshots after looking at them
snapshots:
    INSTA_UPDATE=always cargo test --locked --test cli
