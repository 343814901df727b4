"""The runtime of this connector: vendored, the same in every connector, replaced by `aos sync-spec`.

Do not edit: `aos check` compares each file with its digest. `aos runtime own PATH` hands a
part to you.
"""

# The version of this runtime; runtime.toml of its own repository has the same.
RUNTIME_VERSION = "0.1.0"
