"""Rows of the syncs: each call that makes data or a name safe from a power loss, with the test that falls without it."""

from __future__ import annotations

from dataclasses import replace

from tests.guards.sync_call import SyncCall, all_sync_calls

ROWS: dict[str, dict[str, tuple[str, ...]]] = {
    "actors/approval/test_actor.py": {
        "test_who_asked_or_an_operator_lets_it_be_done_once": (
            "actors/approval/notes.py: QuestionNotes.drop#1",
            "actors/approval/notes.py: QuestionNotes.keep#1",
        ),
    },
    "actors/backup/test_disk_trouble.py": {
        "test_a_backup_is_on_the_disk_before_its_sums_say_so_and_the_sums_before_they_have_their_name": (
            "actors/backup/copying.py: _Copier.make#1",
            "actors/backup/sums.py: write#1",
            "actors/backup/sums.py: write#2",
        ),
    },
    "actors/backup/test_restoring.py": {
        "test_each_step_of_a_restore_is_on_the_disk_before_the_next": (
            "actors/backup/restoring.py: _Restorer.make#1",
            "actors/backup/restoring.py: _Restorer.make#2",
            "actors/backup/restoring.py: _Restorer.make#3",
        ),
        "test_reminders_are_on_the_disk_before_they_have_their_name": (
            "actors/backup/restoring.py: _Restorer._write_new#1",
        ),
    },
    "actors/cli/setup/test_writing.py": {
        "test_a_written_file_survives_a_power_loss": ("actors/cli/setup/writing.py: write#1",),
    },
    "actors/cli/trust/test_recording.py": {
        "test_the_list_survives_a_power_loss": ("actors/cli/trust/recording.py: change_trust_list#1",),
    },
    "actors/skills/foreign/test_store.py": {
        "test_a_skill_is_safe_from_a_power_loss_before_its_folder_has_its_name": (
            "actors/skills/foreign/store.py: SkillStore._put#1",
            "actors/skills/foreign/store.py: SkillStore._write#1",
            "actors/skills/foreign/store.py: SkillStore._write_file#1",
            "actors/skills/foreign/store.py: SkillStore.add#1",
        ),
        "test_names_are_safe_before_the_record_says_so": (
            "actors/skills/foreign/store.py: SkillStore._exchange#1",
            "actors/skills/foreign/store.py: SkillStore.remove#1",
        ),
        "test_the_folder_of_skills_is_safe_with_its_first_skill": (
            "actors/skills/foreign/store.py: SkillStore._lock#1",
        ),
    },
    "actors/cluster/test_fence.py": {
        "test_syncs_are_those_of_the_disk_below": (
            "actors/cluster/fence.py: FencedDisk.sync#1",
            "actors/cluster/fence.py: FencedDisk.sync_all#1",
            "actors/cluster/fence.py: FencedDisk.sync_folder#1",
        ),
    },
    "actors/context/test_forgetting.py": {
        "test_killed_at_any_step_each_log_is_the_old_or_the_new_and_the_same_command_finishes": (
            "actors/context/forgetting.py: Forgetting.take_out#1",
        ),
        "test_a_power_loss_afterwards_brings_no_word_back_and_takes_no_log": (
            "actors/context/log/forgetting.py: take_out#1",
        ),
    },
    "actors/context/log/test_descriptor.py": {
        "test_what_was_written_to_a_log_is_safe_before_it_is_let_go": (
            "actors/context/log/descriptor.py: Descriptor.let_go#1",
        ),
    },
    "actors/context/log/test_file.py": {
        "test_a_new_log_is_whole_on_the_disk_before_it_has_its_name": (
            "actors/context/log/file.py: WindowLog._create#1",
            "actors/context/log/file.py: WindowLog._create#2",
            "actors/context/log/file.py: _sync_folders#1",
        ),
        "test_the_name_of_a_log_whose_life_ended_at_its_naming_is_safe_with_the_next_life": (
            "actors/context/log/file.py: WindowLog.open#1",
        ),
        "test_a_failed_sync_is_never_repeated_on_the_same_descriptor": (
            "actors/context/log/file.py: WindowLog.end_window#1",
            "actors/context/log/file.py: WindowLog.sync#1",
        ),
        "test_opening_syncs_what_a_killed_process_may_not_have": ("actors/context/log/file.py: WindowLog._recover#1",),
    },
    "actors/context/log/test_journal.py": {
        "test_an_event_whose_sync_fails_is_no_part_of_the_conversation": (
            "actors/context/log/journal.py: Journal.write#1",
        ),
    },
    "actors/context/log/test_redactions.py": {
        "test_each_withdrawal_is_safe_in_the_copy": ("actors/context/log/redactions.py: Redactions._write#1",),
    },
    "actors/context/test_compaction.py": {
        "test_before_a_cut_the_part_is_asked_with_the_words_that_go_and_only_then_they_go": (
            "actors/context/asking/compaction.py: CompactionClient._cut#1",
        ),
    },
    "actors/context/test_off_record.py": {
        "test_a_kill_leaves_no_word_and_the_question_is_answered_by_a_notice_at_most_once": (
            "actors/context/endings.py: Endings.pay_debts#1",
        ),
        "test_a_message_that_is_deleted_while_it_is_answered_gets_no_answer": (
            "actors/context/endings.py: Endings.end_off_record#1",
        ),
    },
    "actors/context/test_context_actor.py": {
        "test_a_message_is_logged_before_the_model_hears_of_it": (
            "actors/context/actor.py: ContextActor._take_in#1",
            "actors/context/actor.py: ContextActor.record#1",
        ),
        "test_the_oldest_whole_turns_are_left_out_of_long_histories_and_stay_out_after_a_restart": (
            "actors/context/endings.py: Endings.take_up#1",
        ),
        "test_an_answer_is_logged_before_it_is_shown_and_its_delivery_after": (
            "actors/context/turn_driver.py: TurnDriver._record#1",
            "actors/context/turn_driver.py: TurnDriver._take_reply#1",
        ),
        "test_a_turn_that_never_stops_asking_for_tools_is_stopped": (
            "actors/context/turn_driver.py: TurnDriver.fail#1",
        ),
        "test_requests_of_consecutive_turns_share_their_whole_prefix": (
            "actors/context/turn_driver.py: TurnDriver._begin_round#1",
        ),
    },
    "actors/context/test_context_recovery.py": {
        "test_a_turn_that_is_interrupted_twice_is_given_up_with_a_notice": (
            "actors/context/endings.py: Endings._give_up#1",
        ),
    },
    "actors/context/test_edited_questions.py": {
        "test_a_question_that_is_edited_while_it_waits_is_asked_in_its_new_words": (
            "actors/context/retraction.py: Retraction._note#1",
        ),
    },
    "actors/context/test_gathered_retraction.py": {
        "test_what_is_deleted_soon_after_waits_and_is_looked_for_together": (
            "actors/context/retraction.py: Retraction._defer_deletions#1",
        ),
    },
    "actors/context/test_model_choice.py": {
        "test_a_chosen_model_is_asked_from_then_on_in_that_window_only": (
            "actors/context/model_choice.py: ModelChoice._record#1",
        ),
    },
    "actors/context/test_past.py": {
        "test_a_log_that_got_its_name_without_a_sync_is_safe_before_its_messages_count_as_held": (
            "actors/context/log/imported.py: ImportedLogs._secure#1",
        ),
        "test_what_was_kept_survives_a_power_loss": (
            "actors/context/log/imported.py: ImportedLogs.write#1",
            "actors/context/log/imported.py: ImportedLogs.write#2",
        ),
    },
    "actors/context/test_pinning.py": {
        "test_words_are_pinned_as_an_event_and_the_model_hears_nothing": ("actors/context/pinning.py: Pinning._log#1",),
    },
    "actors/context/test_posted.py": {
        "test_it_is_logged_with_the_messages_that_show_it_and_who_had_it_shown": (
            "actors/context/postings.py: Postings._log#1",
        ),
    },
    "actors/context/test_retraction.py": {
        "test_a_deleted_message_and_what_came_of_it_are_forgotten_and_the_log_keeps_them": (
            "actors/context/log/redactions.py: Redactions._write#2",
            "actors/context/log/redactions.py: Redactions._write#3",
            "actors/context/retraction.py: Retraction.take_back#1",
        ),
        "test_an_edit_during_the_answer_is_noted_behind_it": ("actors/context/retraction.py: Retraction._defer#1",),
        "test_an_edited_message_is_recalled_as_it_says_now": ("actors/context/retraction.py: Retraction._note#2",),
    },
    "actors/context/test_stopping.py": {
        "test_the_running_turn_ends_and_what_waits_behind_it_is_left_unanswered": (
            "actors/context/endings.py: Endings._abort#1",
            "actors/context/turn_driver.py: TurnDriver.abort#1",
        ),
    },
    "actors/context/test_waiting_calls.py": {
        "test_a_power_loss_in_the_second_call_takes_no_result_of_the_first": (
            "actors/context/turn_driver.py: TurnDriver._record_result#1",
        ),
    },
    "actors/curated/test_debts.py": {
        "test_the_name_of_a_folder_that_the_first_fact_makes_is_safe": (
            "actors/curated/files.py: MemoryFiles._make#1",
        ),
        "test_a_name_of_the_journal_is_safe_whoever_made_it": (
            "actors/curated/sidecars.py: append_lines#1",
            "actors/curated/sidecars.py: append_lines#2",
        ),
    },
    "actors/curated/test_sidecars.py": {
        "test_a_journal_is_emptied_when_its_new_content_is_safe_beside_it": (
            "actors/curated/sidecars.py: rewrite_journal#1",
        ),
        "test_a_file_that_commands_may_only_read_is_never_there_without_its_content": (
            "actors/curated/sidecars.py: _make#1",
        ),
    },
    "actors/discord/incoming/places/test_memory_switching.py": {
        "test_a_switch_survives_a_power_loss": (
            "actors/discord/incoming/places/memory_switching.py: MemorySwitching._keep#1",
        ),
    },
    "actors/discord/incoming/test_attachment_store.py": {
        "test_kept_files_survive_a_power_loss": (
            "actors/discord/incoming/attachment_store.py: _write#1",
            "actors/discord/incoming/attachment_store.py: keep#1",
        ),
    },
    "actors/discord/incoming/test_watermark_file.py": {
        "test_what_was_written_survives_a_power_loss": (
            "actors/discord/incoming/watermark_file.py: WatermarkFile.write#1",
        ),
    },
    "actors/edited_file/test_file.py": {
        "test_words_of_a_person_are_safe_before_they_are_displaced": ("actors/edited_file/file.py: EditedFile.put#1",),
        "test_what_the_file_is_expected_to_hold_is_safe_before_the_file_changes": (
            "actors/edited_file/file.py: EditedFile._keep_base#1",
            "actors/edited_file/file.py: EditedFile._keep_base#2",
            "actors/edited_file/file.py: EditedFile._sync_folder#1",
            "actors/edited_file/file.py: EditedFile._write_whole#1",
        ),
        "test_a_promise_of_what_the_file_has_already_is_tried_again": (
            "actors/edited_file/rewriting.py: Rewriting._finish#1",
        ),
    },
    "actors/facts/test_forgetting.py": {
        "test_what_leads_to_other_entries_is_removed_when_their_removal_is_safe_from_a_power_loss": (
            "actors/facts/removal.py: Removal._destroy#1",
            "actors/facts/removal.py: Removal._unlink#1",
        ),
    },
    "actors/facts/store/test_git_purge.py": {
        "test_the_note_of_a_purge_survives_a_power_loss": ("actors/facts/store/git_purge.py: note_purge#1",),
    },
    "actors/facts/store/test_memory_folder.py": {
        "test_a_file_system_without_locks_is_used_without_one_and_the_log_says_so": (
            "actors/facts/store/memory_folder.py: MemoryFolder.open#2",
        ),
    },
    "actors/facts/test_syncs.py": {
        "test_what_is_answered_survives_a_power_loss": (
            "actors/facts/actor.py: FactsActor._answer#1",
            "actors/facts/actor.py: FactsActor._forget#1",
            "actors/facts/requests.py: Requests.forget#1",
            "actors/facts/store/files.py: EntryFiles.sync#1",
            "actors/facts/store/files.py: EntryFiles.sync#2",
            "actors/facts/store/journal.py: Journal._append#1",
            "actors/facts/store/journal.py: Journal.end#1",
            "actors/facts/store/journal.py: Journal.forget#1",
            "actors/facts/store/memory_folder.py: MemoryFolder.open#1",
        ),
        "test_finished_work_leaves_the_journal_when_its_files_are_synced": (
            "actors/facts/actor.py: FactsActor._cross_out#1",
        ),
        "test_words_are_synced_before_the_journal_has_only_their_late_answer": (
            "actors/facts/turns.py: Turns._take_late_answer#1",
        ),
        "test_a_turn_is_in_a_synced_journal_when_it_is_answered": (
            "actors/facts/store/journal.py: Journal.begin#1",
            "actors/facts/store/journal.py: Journal.end#2",
        ),
    },
    "actors/forget/test_window_files.py": {
        "test_the_files_of_a_message_and_its_commands_outputs_go_and_all_others_stay": (
            "actors/forget/window_files.py: WindowFilesActor._remove#1",
        ),
    },
    "actors/forget/test_actor.py": {
        "test_a_request_that_was_refused_is_not_brought_back_by_a_power_loss": (
            "actors/forget/journal.py: ForgetJournal.withdraw#1",
        ),
        "test_nothing_goes_before_the_same_person_confirms_and_logs_go_before_rooms": (
            "actors/forget/journal.py: ForgetJournal.write#1",
        ),
    },
    "actors/gateway/test_own_key.py": {
        "test_a_key_is_made_once_kept_for_its_user_alone_and_told_with_its_use": (
            "actors/gateway/own_key.py: own_key#1",
            "actors/linux/disk.py: put_secret#1",
        ),
    },
    "actors/importer/test_journal.py": {
        "test_what_was_noted_survives_a_power_loss": ("actors/importer/journal.py: ImportJournal._append#1",),
    },
    "actors/ledger/test_actor.py": {
        "test_an_entry_survives_a_power_loss_a_second_later": (
            "actors/ledger/actor.py: LedgerActor._write_and_sync#1",
        ),
    },
    "actors/ledger/test_file.py": {
        "test_a_sync_makes_entries_safe_and_the_next_month_those_before": (
            "actors/ledger/file.py: LedgerFiles.append#1",
            "actors/ledger/file.py: LedgerFiles.sync#1",
        ),
    },
    "actors/linux/test_disk.py": {
        "test_a_sync_is_asked_of_the_system": (
            "actors/linux/disk.py: RealDisk.sync#1",
            "actors/linux/disk.py: RealDisk.sync_all#1",
            "actors/linux/disk.py: RealDisk.sync_folder#1",
        ),
        "test_folders_are_made_with_names_that_survive_though_a_sync_ended_the_first_attempt": (
            "actors/linux/disk.py: make_folders#1",
        ),
        "test_folders_are_made_with_names_that_survive": (
            "actors/linux/disk.py: make_folders#2",
            "actors/linux/disk.py: write_all#1",
        ),
        "test_a_whole_file_takes_the_place_of_what_was_there_or_nothing_does": (
            "actors/linux/disk.py: put_whole#1",
            "actors/linux/disk.py: put_whole#2",
        ),
        "test_folders_are_synced_up_to_the_one_that_was_there": ("actors/linux/disk.py: make_durable#1",),
    },
    "actors/linux/test_notebook.py": {
        "test_durable_lines_survive_a_power_loss_and_the_others_after_a_sync": (
            "actors/linux/notebook.py: Notebook._prepare#1",
            "actors/linux/notebook.py: Notebook._sync_file#1",
            "actors/linux/notebook.py: Notebook._sync_file#2",
            "actors/linux/notebook.py: Notebook.append#1",
            "actors/linux/notebook.py: Notebook.sync#1",
        ),
        "test_a_rewritten_file_survives_a_power_loss": ("actors/linux/notebook.py: Notebook._put#1",),
        "test_the_name_of_a_file_or_folder_that_is_made_again_is_synced_again": (
            "actors/linux/notebook.py: NoteFolder.put#1",
            "actors/linux/notebook.py: NoteFolder.put#2",
        ),
    },
    "actors/local_model/test_download.py": {
        "test_a_model_is_on_the_disk_before_it_has_its_name": (
            "actors/local_model/download.py: Download._fetch_and_check#1",
        ),
    },
    "actors/memory/derived/test_database.py": {
        "test_a_power_loss_damages_no_database": ("actors/memory/derived/database.py: module#1",),
    },
    "actors/scheduler/test_confirmations.py": {
        "test_what_stands_in_the_file_though_it_was_refused_is_confirmed": (
            "actors/scheduler/actor.py: SchedulerActor._take_look#1",
            "actors/scheduler/confirmations.py: Confirmations.make_up#1",
        ),
    },
    "actors/scheduler/test_power_loss.py": {
        "test_a_line_that_a_person_wrote_is_safe_before_the_agent_says_that_it_stands_there": (
            "actors/edited_file/file.py: EditedFile._sync_file#1",
            "actors/edited_file/file.py: EditedFile.make_durable#1",
        ),
        "test_wherever_the_power_goes_out_what_was_confirmed_is_there_and_each_is_said_once": (
            "actors/edited_file/file.py: EditedFile.make_durable#2",
            "actors/scheduler/owed.py: OwedConfirmations.keep#1",
        ),
    },
    "actors/shell/test_output_file.py": {
        "test_a_kept_file_survives_a_power_loss": (
            "actors/shell/output_file.py: OutputFile._close_file#1",
            "actors/shell/output_file.py: OutputFile._close_file#2",
        ),
    },
    "actors/shell/test_workplace.py": {
        "test_the_folder_of_kept_output_survives_a_power_loss": ("actors/shell/workplace.py: Workplaces.open#1",),
    },
    "actors/workspace/subagents/test_runs.py": {
        "test_a_run_is_begun_and_told_when_it_has_ended": ("actors/workspace/subagents/record.py: Record.keep#1",),
    },
    "actors/workspace/upkeep/test_forgetting.py": {
        "test_a_whole_window_leaves_the_files_as_they_begin": (
            "actors/workspace/upkeep/forgetting.py: Forgetting.begin#1",
        ),
    },
    "actors/workspace/test_upkeep.py": {
        "test_what_people_share_is_never_written": (
            "actors/workspace/upkeep/state.py: WorkspaceState._keep_written#1",
            "actors/workspace/upkeep/state.py: WorkspaceState.keep#1",
        ),
    },
    "actors/workspace/upkeep/test_gate.py": {
        "test_before_a_cut_session_then_memory_and_history_then_the_handover": (
            "actors/workspace/upkeep/gate.py: CompactionGate._store#1",
        ),
    },
    "actors/workspace/upkeep/test_updates.py": {
        "test_behind_a_cut_long_files_are_made_shorter_and_what_was_there_is_kept": (
            "actors/workspace/bookkeeping.py: Bookkeeping.put#1",
            "actors/workspace/bookkeeping.py: Bookkeeping.put_document#1",
            "actors/workspace/channel.py: Channel.ensure#1",
            "actors/workspace/files.py: ChannelFiles.keep_before#1",
            "actors/workspace/upkeep/updates.py: Updates._write.both#1",
            "actors/workspace/upkeep/updates.py: Updates.consolidate.read_answer.write#1",
        ),
        "test_what_an_earlier_life_left_is_told_without_a_key": (
            "actors/workspace/upkeep/updates.py: Updates.write_pending#1",
        ),
    },
}
"""Test file below `tests/` -> test -> syncs, each required by the test: file, function, number of the call there."""

TESTS = {sync: f"{file}::{test}" for file, tests in ROWS.items() for test, syncs in tests.items() for sync in syncs}

SYNCS: tuple[SyncCall, ...] = tuple(replace(call, test=TESTS.get(call.title, "")) for call in all_sync_calls())
