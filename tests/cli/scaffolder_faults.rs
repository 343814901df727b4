//! Faults that users of other scaffolders report, and for each the test that shows that aos does not have it.
//!
//! The table is read by people; its only test finds every name in the sources, so that no row outlives its test.

use std::path::Path;

use super::disk;

/// A fault of other scaffolders, the file of the test below `tests/cli`, and the name of the test.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "conflicts come in a style that was not asked for",
        "upgrade/conflicts.rs",
        "a_rejected_change_is_beside_the_file_that_keeps_the_users_lines",
    ),
    (
        "an update with conflicts ends with exit code 0",
        "upgrade/conflicts.rs",
        "a_confirmed_conflict_is_in_the_file_with_its_base_and_the_record_does_not_move",
    ),
    (
        "markers of a conflict are committed unseen",
        "upgrade/conflicts.rs",
        "a_conflict_stays_one_until_its_last_marker_is_gone",
    ),
    (
        "an edited file that the template deleted is lost",
        "upgrade/files.rs",
        "a_file_that_the_template_removed_goes_only_when_nobody_changed_it",
    ),
    (
        "an edited file that the template renamed loses the edit",
        "upgrade/merges.rs",
        "a_file_that_the_template_moved_takes_the_edits_along",
    ),
    (
        "a deleted file comes back, or never comes back",
        "upgrade/files.rs",
        "a_deleted_file_stays_deleted_until_it_is_restored",
    ),
    (
        "a changed answer in a path leaves the old directory there",
        "own_template/marks.rs",
        "an_answer_in_a_name_is_one_part_of_a_path_and_an_upgrade_follows_it",
    ),
    (
        "a renamed directory is there twice",
        "upgrade/answers.rs",
        "a_directory_that_the_template_renamed_moves_with_the_edits_in_it",
    ),
    (
        "a file whose condition is false now stays",
        "upgrade/answers.rs",
        "an_answer_is_changed_later_with_everything_that_follows_from_it",
    ),
    (
        "an update that changes nothing does not say so",
        "upgrade/files.rs",
        "a_second_upgrade_changes_nothing_not_even_a_time",
    ),
    (
        "an old version of the template blocks every update",
        "upgrade/released.rs",
        "a_version_that_this_aos_lacks_is_named_with_those_it_has",
    ),
    (
        "a file that diverged once is never healed",
        "upgrade/files.rs",
        "a_file_that_diverged_in_the_past_is_named_and_healed_on_request",
    ),
    (
        "changes elsewhere in the repository block the update",
        "upgrade/files.rs",
        "a_project_below_a_repository_is_upgraded_and_its_neighbours_are_left_alone",
    ),
    (
        "a submodule stops the tool or is copied",
        "own_template/made.rs",
        "a_submodule_is_left_out_with_its_list_and_with_the_way_to_add_it",
    ),
    (
        "a program without a terminal is asked",
        "asked.rs",
        "without_a_terminal_aos_asks_no_question",
    ),
    (
        "questions come one at a time where nobody answers",
        "upgrade/answers.rs",
        "questions_of_the_newer_template_get_their_default_or_are_all_asked_for",
    ),
    (
        "changed line endings make every line a difference",
        "upgrade/merges.rs",
        "a_checkout_with_crlf_is_merged_in_its_own_line_ending",
    ),
    (
        "the locale decides how files are read",
        "new_output.rs",
        "the_same_input_gives_the_same_bytes_in_another_place_home_and_locale",
    ),
    (
        "the executable bit is lost",
        "upgrade/merges.rs",
        "the_execute_bit_follows_the_template_unless_the_user_changed_it",
    ),
    ("a link at the target is followed", "upgrade/merges.rs", "no_file_is_written_through_a_link"),
    (
        "a linked directory is written through",
        "sync_obstacles.rs",
        "a_linked_directory_is_never_written_through",
    ),
    (
        "a rendered path leaves the project",
        "own_template/projects.rs",
        "a_template_that_would_leave_the_project_is_refused_before_anything_is_written",
    ),
    (
        "a template includes files from outside",
        "own_template/marks.rs",
        "files_include_each_other_in_any_order_and_no_fault_shows_a_drawing",
    ),
    (
        "a template reads through links and special files",
        "own_template/marks.rs",
        "forbidden_files_of_a_template_are_refused_by_their_path_and_never_read",
    ),
    (
        "the first run conflicts and the second does not",
        "openapi.rs",
        "the_same_description_gives_the_same_bytes",
    ),
    (
        "files that git ignores are not updated",
        "upgrade/files.rs",
        "a_file_that_git_ignores_is_upgraded_like_any_other",
    ),
    (
        "a file that both sides added is overwritten",
        "upgrade/merges.rs",
        "a_file_that_both_sides_added_is_a_conflict_unless_it_is_the_same",
    ),
    ("nobody can abort an update", "upgrade/conflicts.rs", "an_abort_brings_every_byte_back"),
    (
        "the summary is not what happened",
        "sync_spec.rs",
        "the_report_lists_exactly_what_changed_on_disk",
    ),
    (
        "a password in an address is recorded",
        "own_template/fleet.rs",
        "a_password_in_the_address_of_a_template_is_never_shown",
    ),
    (
        "a relative path of a template breaks elsewhere",
        "own_template/projects.rs",
        "an_upgrade_merges_the_next_version_and_keeps_the_edits_of_the_user",
    ),
    (
        "an error is a page of a stack trace",
        "formats.rs",
        "errors_as_text_are_at_most_four_lines_with_the_fix",
    ),
    (
        "a failed run destroys the directory of the user",
        "new.rs",
        "an_edited_project_is_never_written_over",
    ),
    (
        "a failed write leaves half a project",
        "new_atomic.rs",
        "a_write_that_fails_half_way_leaves_nothing",
    ),
    (
        "a killed run leaves half a project",
        "new_atomic.rs",
        "a_kill_at_any_moment_leaves_nothing_or_a_complete_project_and_the_next_run_tidies_up",
    ),
    (
        "hooks of a template run without a question",
        "own_template/imported.rs",
        "a_cookiecutter_template_becomes_one_of_ours_without_its_code",
    ),
    (
        "hooks of the user's git run",
        "new_git.rs",
        "no_hook_template_or_monitor_of_the_users_configuration_runs",
    ),
    (
        "a name writes outside the directory",
        "new_names.rs",
        "a_bad_name_is_refused_with_a_name_that_would_do",
    ),
    (
        "a template has names that another system refuses",
        "own_template/marks.rs",
        "every_name_that_is_wrong_is_listed_at_once",
    ),
    (
        "bytes that are not text break the tool",
        "own_template/made.rs",
        "a_repository_becomes_a_template_that_gives_the_same_files_again",
    ),
    (
        "a tag is read as an option of git",
        "own_template/hosts.rs",
        "a_tag_or_an_address_is_never_an_option_of_git",
    ),
    (
        "the version is recorded although the update failed",
        "own_template/projects.rs",
        "a_conflict_leaves_the_version_and_an_abort_restores_every_byte",
    ),
    (
        "the diff that is shown is not the one that is written",
        "upgrade/conflicts.rs",
        "a_conflict_is_shown_before_anything_is_written",
    ),
    (
        "a dry run differs from the run",
        "new.rs",
        "a_dry_run_shows_the_digest_of_every_file_that_the_real_run_writes_and_writes_nothing",
    ),
    (
        "a check compares the commit and no file",
        "check_drift.rs",
        "one_edited_byte_is_found_and_shown",
    ),
    (
        "a check ignores files that were added",
        "check_drift.rs",
        "a_file_that_does_not_belong_is_found",
    ),
    (
        "a check fails because the project is ahead",
        "own_template/projects.rs",
        "a_template_that_cannot_be_meant_is_refused_with_what_can",
    ),
    (
        "paths and temporary files of one system remain",
        "new_output.rs",
        "every_path_fits_an_archive_and_every_system",
    ),
    (
        "a template must be a git repository",
        "own_template/projects.rs",
        "a_project_needs_no_contract_and_is_checked_and_created_once",
    ),
    (
        "an unrelated file of the same name is deleted",
        "new_clone.rs",
        "the_files_of_a_host_stay_and_a_file_that_would_be_replaced_needs_the_token",
    ),
    (
        "a project is made although an expression failed",
        "own_template/checked.rs",
        "a_fault_of_one_combination_names_the_answers",
    ),
    (
        "marks of other languages in a file are eaten",
        "new_output.rs",
        "no_mark_of_the_template_language_is_left_in_any_file",
    ),
    (
        "a flag is checked less than a prompt",
        "new_answers.rs",
        "a_value_is_judged_by_one_validator_wherever_it_comes_from",
    ),
    (
        "an empty value is refused",
        "new_answers.rs",
        "a_pair_without_equals_sign_is_a_usage_error_and_an_empty_value_is_the_default",
    ),
    (
        "the target must exist",
        "new.rs",
        "the_project_is_made_below_dir_which_is_made_when_it_is_missing",
    ),
    (
        "a missing user name stops the tool",
        "new_git.rs",
        "without_an_identity_the_repository_stays_uncommitted_and_the_reason_is_reported",
    ),
    (
        "a check needs toolchains, a network or a shell",
        "check_fleet.rs",
        "a_bare_container_is_enough",
    ),
    (
        "a part cannot be taken out of the tool's hands",
        "runtime.rs",
        "a_part_changes_hands_and_comes_back_with_a_preview_of_what_is_lost",
    ),
    (
        "a check that compares nothing passes",
        "check_records.rs",
        "a_check_that_would_compare_nothing_fails",
    ),
    (
        "stale outputs stay, or those of others are deleted",
        "sync_spec.rs",
        "an_unwanted_output_is_removed_only_if_aos_wrote_its_bytes",
    ),
    (
        "lock and configuration disagree for months",
        "check_records.rs",
        "a_lock_with_false_entries_is_found",
    ),
    (
        "an unknown lock is called a bug",
        "check_records.rs",
        "a_lock_of_another_version_is_named_and_not_called_a_bug",
    ),
    (
        "a second run empties or touches the directory",
        "sync_spec.rs",
        "a_run_with_nothing_to_do_says_unchanged_and_writes_nothing",
    ),
    (
        "a failure leaves half of a fleet unchanged and unnamed",
        "fleets.rs",
        "a_fleet_is_moved_and_a_project_that_fails_does_not_stop_the_others",
    ),
];

#[test]
fn each_fault_of_other_scaffolders_has_a_test_here() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    assert!(FAULTS.len() > 50, "{}", FAULTS.len());
    for (fault, file, test) in FAULTS {
        let source = disk::read(&tests.join(file));
        assert!(source.contains(&format!("fn {test}(")), "{fault}: {file} has no test `{test}`");
    }
}
