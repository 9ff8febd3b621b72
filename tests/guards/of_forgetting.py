"""Guards of forgetting: whose words a person may have forgotten, who confirms, and the order of work."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_RULES = "domain/policy/forgetting/test_rights.py"
_ACTOR = "actors/forget/test_actor.py"
_MAY = f"{_RULES}::test_everyones_words_are_an_operators_a_managers_in_the_window_and_a_persons_in_a_direct_one"
_REFUSED = f"{_RULES}::test_whole_windows_and_other_people_are_refused_without_the_right"
_OTHERS = f"{_ACTOR}::test_others_words_take_an_operator_or_who_may_manage_messages_there"
_CONFIRMED = f"{_ACTOR}::test_nothing_goes_before_the_same_person_confirms_and_logs_go_before_rooms"
_NAMED = f"{_ACTOR}::test_who_does_not_answer_is_named_and_asked_again_until_done"
_KILL = f"{_ACTOR}::test_a_kill_after_the_journal_loses_nothing_and_the_next_start_finishes"
_REPEATED = f"{_ACTOR}::test_repetitions_in_every_window_go_as_far_as_the_person_may"
_LATER = f"{_ACTOR}::test_what_repeats_the_words_after_the_count_goes_too_as_far_as_the_person_may"
_WINDOW = "actors/context/test_forgetting.py"
_SCOPE = "domain/turn/forgetting/test_scope.py"

OF_FORGETTING: tuple[Guard, ...] = (
    *guards_of(
        "domain/policy/forgetting/rights.py",
        ('"" if self.is_operator or window == self.manages else self.account', '""', _MAY),
        ("window == self.manages", "self.manages is not None", _MAY),
        ("not account or account in frozenset(operators)", "True", _MAY),
        ("scope.kind is ScopeKind.PERSON and scope.person_id != asker.account", "False", _REFUSED),
        ("scope.kind in (ScopeKind.WINDOW, ScopeKind.EXPIRED)", "False", _REFUSED),
    ),
    *guards_of(
        "actors/forget/actor.py",
        ("if reason := refusal(scope, asker):", 'if reason := "":', _OTHERS),
        (" or preview.asker != self._asker(message)", "", _CONFIRMED),
        (
            "preview.until_s < self.monotonic()",
            "False",
            f"{_ACTOR}::test_a_preview_is_void_after_a_quarter_of_an_hour",
        ),
        (
            "message.scope is not None and not message.asked_by",
            "message.scope is not None",
            f"{_ACTOR}::test_a_person_cannot_pass_a_scope_instead_of_a_preview",
        ),
        ("            if not entry.is_done:\n", "            if False:\n", _KILL),
        (" for event in each if window in resolved.readable", " for event in each", _REPEATED),
        ("            self._look_again(entry, done.asker, done, self._config.retry_s)\n", "            pass\n", _LATER),
    ),
    *guards_of(
        "actors/forget/resolution.py",
        ("replace(scope, only_by=self._asker.limit_in(scope.window))", "scope", _OTHERS),
        ("            self._resolved.withheld = withheld\n", "", _REPEATED),
    ),
    *guards_of(
        "actors/forget/execution.py",
        ("        self._host.wait(self._config.retry_s, step)\n", "", _NAMED),
    ),
    *guards_of(
        "actors/context/forgetting.py",
        (
            "        if quote is not None and self._is_gone(self._host.window, quote.message_id):\n",
            "        if False:\n",
            f"{_WINDOW}::test_a_reply_to_a_forgotten_message_does_not_bring_its_words_back",
        ),
        (
            "        if not self._is_gone(Window(surface=Surface.DISCORD_CHANNEL, id=channel), message.message_id):\n",
            "        if True:\n",
            f"{_WINDOW}::test_a_thread_begun_from_a_forgotten_message_does_not_bring_its_words_back",
        ),
        (
            "        if run is None or run.turn_id != turn_id:\n",
            "        if run is None:\n",
            f"{_WINDOW}::test_a_turn_in_hand_that_was_shown_forgotten_words_of_elsewhere_ends_with_a_notice",
        ),
        (
            "            self._drop_files(message.message_id)\n        return True\n",
            "            pass\n        return True\n",
            f"{_WINDOW}::test_files_of_a_forgotten_message_that_opens_a_thread_are_removed_again",
        ),
    ),
    *guards_of(
        "actors/context/postings.py",
        (
            '                    posted = replace(posted, text="", file="")\n',
            "                    pass\n",
            f"{_WINDOW}::test_what_was_posted_for_a_forgotten_message_is_logged_without_its_words",
        ),
    ),
    *guards_of(
        "domain/turn/forgetting/scope.py",
        (
            "        return author_id == scope.only_by\n",
            "        return True\n",
            f"{_SCOPE}::test_a_quotation_of_another_persons_words_is_not_ones_own",
        ),
        (
            "scope.since is None or events.time_of(entry) >= scope.since",
            "True",
            f"{_SCOPE}::test_what_the_agent_said_before_ones_words_repeats_nothing_of_them",
        ),
        (
            "return _is_mentioned(scope, entry.text)",
            "return True",
            f"{_SCOPE}::test_a_name_alone_gives_nobody_a_right_to_answers_of_others",
        ),
        (
            "scope.kind is ScopeKind.REPEATED or _is_mentioned(scope, entry.quoted_text)",
            "True",
            f"{_SCOPE}::test_a_name_alone_gives_nobody_a_right_to_answers_of_others",
        ),
    ),
    *guards_of(
        "actors/memory/upkeep/forgetting.py",
        (
            "            self._upkeep.begin_logs_anew()\n",
            "",
            "actors/memory/test_forgetting.py::test_a_log_on_its_way_into_the_index_is_read_again_without_the_words",
        ),
    ),
    *guards_of(
        "actors/discord/commands/dispatcher.py",
        (
            "manages_messages=interaction.permissions.manage_messages",
            "manages_messages=True",
            "e2e/test_forget.py::test_others_words_are_refused_but_to_moderators_and_operators",
        ),
    ),
)
