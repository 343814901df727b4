//! Promises to users, tested with the real binary in a sandbox: one module per command or promise.

#![expect(clippy::disallowed_methods, reason = "tests look at the disk and start programs")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

mod adapter_conform;
mod add;
mod adoption;
mod adoption_tools;
mod agent_adapter;
mod agent_table;
mod asked;
mod audit_log;
mod augmentor;
#[cfg(target_os = "linux")]
mod augmentor_conform;
mod brief_answers;
mod cases;
mod check_changes;
mod check_changes_python;
mod check_checkouts;
mod check_committed;
mod check_documents;
mod check_drift;
mod check_fleet;
mod check_guard;
mod check_library;
mod check_loaded;
mod check_members;
mod check_records;
mod check_replaced;
mod check_shadows;
mod check_started;
mod check_tools;
mod check_uses;
mod check_waivers;
mod citizen;
mod compare;
mod completions;
#[cfg(unix)]
mod conform;
#[cfg(target_os = "linux")]
#[path = "conform/agent_cli.rs"]
mod conform_agent_cli;
#[cfg(target_os = "linux")]
#[path = "conform/signed.rs"]
mod conform_signed;
#[cfg(target_os = "linux")]
mod connector_mutations;
mod contract_documents;
mod contract_modules;
mod contracts;
mod discover;
mod disk;
mod envelope;
mod extension;
mod fcc;
mod fleets;
mod formats;
mod formatters;
mod gen_files;
mod gen_hostile;
mod help;
#[cfg(unix)]
mod hostile_text;
mod listing_sizes;
mod mcp;
mod mcp_client;
mod mcp_lines;
mod merge_git;
mod migrate;
mod new;
mod new_answers;
mod new_api;
mod new_atomic;
mod new_cli;
mod new_clone;
mod new_git;
mod new_names;
mod new_output;
mod notices;
mod openapi;
mod openapi_cli;
mod openapi_sync;
mod own_template;
#[cfg(all(unix, debug_assertions))]
mod planted_state;
mod runtime;
mod runtime_connector;
mod runtime_go;
mod runtime_python;
mod sandbox;
mod scaffolded_cli_python;
mod scaffolded_cli_python_guide;
mod scaffolded_connector_guide;
mod scaffolded_go;
mod scaffolded_python;
mod scaffolder_faults;
mod self_description;
#[path = "../sigstore/mod.rs"]
mod sigstore;
#[cfg(unix)]
mod skill_bench;
#[cfg(unix)]
mod skill_faults;
#[cfg(unix)]
mod skill_sync;
mod spec_release;
mod spec_release_check;
mod spec_release_faults;
mod spec_release_formats;
mod spec_release_kept;
mod spec_release_lock;
mod spec_release_refused;
mod spec_release_signed;
mod sync_confirm;
mod sync_crash;
mod sync_obstacles;
mod sync_pins;
mod sync_source;
mod sync_spec;
mod sync_switched_off;
mod toolchain;
mod update;
mod upgrade;
mod upstream_answers;
mod usage;
mod verify;
mod verify_bundles;
mod verify_faults;
#[cfg(unix)]
mod wire;
