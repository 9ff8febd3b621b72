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
        (" or preview.asked_by != message.asked_by", "", _CONFIRMED),
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
    ),
    *guards_of(
        "actors/forget/resolution.py",
        ("replace(scope, only_by=self._asker.limit_in(scope.window))", "scope", _OTHERS),
    ),
    *guards_of(
        "actors/forget/execution.py",
        ("        self._host.wait(self._config.retry_s, step)\n", "", _NAMED),
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
