"""Guards of windows without memory: no word of a turn off the record reaches a log, another part, or another turn."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_WINDOW = "actors/context/test_off_record.py"
_WHOLE = "e2e/test_off_record.py"
_EXPORTS = "actors/importer/test_exports.py"
_ANSWERED = f"{_WINDOW}::test_a_turn_off_the_record_is_answered_and_no_file_has_a_word_of_it"
_SIDES = f"{_WINDOW}::test_neither_side_of_the_switch_is_shown_to_the_other"

OF_OFF_RECORD: tuple[Guard, ...] = (
    *guards_of(
        "domain/log/off_record.py",
        ("self._reduced_question(original, meta) if self._is_newest else original", "original", _ANSWERED),
        ("            return _reduced_text(original, meta)\n", "            return original\n", _ANSWERED),
        (
            " or self._is_newest)",
            ")",
            f"{_WINDOW}::test_a_posting_after_a_message_off_the_record_is_noted_without_its_words",
        ),
        (
            "(meta.pop(MESSAGE_KEY, False) or self._is_newest)",
            "self._is_newest",
            f"{_WINDOW}::test_a_posting_where_memory_is_off_is_noted_without_its_words",
        ),
    ),
    *guards_of(
        "actors/context/news.py",
        ("if any(is_off_record(each.meta_json) for each in question):", "if False:", _ANSWERED),
    ),
    *guards_of(
        "actors/context/asking/contributions.py",
        ("contributors = self._contributors if asks else {}", "contributors = self._contributors", _ANSWERED),
    ),
    *guards_of(
        "actors/context/run_teller.py",
        ("() if turn.is_off_record else self._host.followers(RUNS)", "self._host.followers(RUNS)", _ANSWERED),
    ),
    *guards_of(
        "actors/context/user_event.py",
        ('{MESSAGE_KEY: True, "viewer": True}', "{MESSAGE_KEY: True}", _ANSWERED),
    ),
    *guards_of(
        "actors/context/retraction.py",
        (
            "[self._hold(event, edit)] if self._waits(event.id) or not edit.is_off_record else []",
            "[self._hold(event, edit)]",
            f"{_WINDOW}::test_an_edit_off_the_record_takes_old_words_back_and_brings_no_new_ones",
        ),
    ),
    *guards_of(
        "actors/importer/export_file.py",
        (
            " if not is_left_out(int(each.message_id)))",
            ")",
            f"{_EXPORTS}::test_messages_sent_while_memory_was_off_are_left_out_of_a_channel_and_its_threads",
        ),
    ),
    *guards_of(
        "actors/importer/off_record.py",
        (
            "by_settings=rules.of(places).memory_is_off",
            "by_settings=False",
            f"{_EXPORTS}::test_a_table_of_the_category_holds_in_threads_whose_channel_is_among_the_exports",
        ),
    ),
    *guards_of(
        "domain/turn/conversation.py",
        ("        if self._turns[turn_id].is_off_record:\n", "        if False:\n", _SIDES),
    ),
    *guards_of(
        "domain/turn/carried.py",
        (
            "if debt.turn is not None and debt.turn.is_off_record:",
            "if False:",
            f"{_WINDOW}::test_a_new_window_takes_over_no_word_of_an_answer_that_is_still_to_be_shown",
        ),
    ),
    *guards_of(
        "actors/discord/incoming/preparation.py",
        (
            "        is_kept = not self._policy.is_off_record(message.channel, message.id)\n",
            "        is_kept = True\n",
            f"{_WHOLE}::test_nothing_said_while_memory_is_off_is_in_any_file_or_is_brought_up",
        ),
        (
            "is_off or not self._policy.is_off_record(channel, int(prepared.quote.message_id))",
            "True",
            f"{_WHOLE}::test_memory_stays_off_over_a_restart_and_holds_in_threads",
        ),
    ),
    *guards_of(
        "actors/discord/incoming/past/reader.py",
        (
            " and not is_off_record(each.id)",
            "",
            f"{_WHOLE}::test_an_import_leaves_out_what_was_said_where_memory_is_off",
        ),
    ),
    *guards_of(
        "actors/discord/incoming/places/memory_switching.py",
        (
            "        if asker.limit_in(request.window):\n",
            "        if False:\n",
            "actors/discord/incoming/places/test_memory_switching.py::"
            "test_only_people_who_manage_messages_operators_and_a_person_in_direct_messages_switch",
        ),
    ),
)
