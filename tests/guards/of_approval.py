"""Guards of approval: the right to decide, the life of a question, and acts that wait for a decision."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_RULES = "domain/policy/test_approval.py"
_ACTOR = "actors/approval/test_actor.py"
_SHELL = "actors/shell/test_approval.py"
_WEB = "actors/web/test_approval.py"
_MAY = f"{_RULES}::test_who_asked_and_operators_may_decide_and_no_other"
_SHOWN = f"{_RULES}::test_a_question_is_one_message_with_one_block_and_no_character_of_the_act_is_lost"
_HOUR = f"{_RULES}::test_a_question_lasts_an_hour_and_no_clock_makes_it_last_longer"
_STRANGER = f"{_ACTOR}::test_a_strangers_press_is_refused_and_the_asker_hears_nothing_of_it"
_ONCE = f"{_ACTOR}::test_a_press_between_two_lives_of_the_asker_counts_once"
_KILL = f"{_ACTOR}::test_a_question_outlives_a_kill_and_its_press_counts_for_who_asks_again"
_DOWN = f"{_ACTOR}::test_the_hour_goes_on_while_the_agent_is_down"
_NO_ANSWER = f"{_ACTOR}::test_without_an_answer_it_is_refused_after_an_hour_and_the_buttons_go"
_TURN = f"{_ACTOR}::test_the_end_of_the_turn_ends_its_questions_only"
_DISK = f"{_ACTOR}::test_what_cannot_be_stored_is_not_asked_and_what_cannot_be_used_up_is_not_granted"
_HOST = f"{_ACTOR}::test_a_question_outlives_the_host_of_its_asker"

OF_APPROVAL: tuple[Guard, ...] = (
    *guards_of(
        "domain/policy/approval.py",
        (
            "        return not person or person == self.asked_by or person in operators\n",
            "        return True\n",
            _MAY,
        ),
        (" or person == self.asked_by or person in operators", " or person in operators", _MAY),
        (
            "        return min(APPROVAL_S, APPROVAL_S - (now - self.asked_at).total_seconds())\n",
            "        return APPROVAL_S\n",
            _HOUR,
        ),
        ("return min(APPROVAL_S, APPROVAL_S - (now", "return (APPROVAL_S - (now", _HOUR),
        (
            "== (window, turn_id, kind, text)",
            "!= ()",
            f"{_RULES}::test_the_same_act_is_the_same_to_the_letter_in_the_same_turn",
        ),
        (
            "approve is Approve.ALWAYS or (approve is Approve.OUTSIDE and leaves_sandbox)",
            "approve is Approve.ALWAYS",
            f"{_RULES}::test_never_asks_nothing_outside_what_leaves_the_sandbox_always_everything",
        ),
        (
            '_MISLEADING.sub(lambda match: "".join(map(_code, match[0])), question.text)',
            "question.text",
            f"{_RULES}::test_an_act_that_the_message_cannot_show_as_it_is_comes_as_a_file_too",
        ),
        ('question.text if notes else ""', '""', _SHOWN),
    ),
    *guards_of(
        "actors/approval/actor.py",
        (
            "not each.question.may_be_decided_by(message.decided_by, self._config.operators)",
            "False",
            _STRANGER,
        ),
        (
            "            fault = wording.NOT_YOURS\n",
            "            fault = wording.NOT_YOURS\n            if each.asker is not None:\n"
            "                self._refuse(each.asker, fault)\n",
            _STRANGER,
        ),
        ("        if each is None or self._is_over(each):\n", "        if each is None:\n", _DOWN),
        ("            if self._is_over(earlier):\n", "            if False:\n", _DOWN),
        ("each.question.decision is not Decision.OPEN:\n            fault", "False:\n            fault", _ONCE),
        ("        self._read_earlier()\n", "", _KILL),
        (
            "if each.asker is None and each.question",
            "if each.question",
            f"{_ACTOR}::test_two_who_ask_the_same_at_once_are_asked_about_one_by_one",
        ),
        ("        elif request.is_again:\n", "        elif False:\n", _ONCE),
        (
            ">= MOST_OPEN:\n",
            "< 0:\n",
            f"{_ACTOR}::test_a_window_has_so_many_open_questions_and_no_more",
        ),
        ("        self._await_end(each)\n        self._post(each)\n", "        self._post(each)\n", _NO_ANSWER),
        ("        if reason := self._keep(question):\n", "        if reason := '':\n", _DISK),
        ("        if grants and not fault:\n", "        if grants:\n", _DISK),
        ("                self._notes.drop(each.question.id)\n", "                pass\n", _NO_ANSWER),
        ("        if reason := self._keep(decided):\n", "        if reason := '':\n", _ONCE),
        (
            "            if (each.question.window, each.question.turn_id) == (ended.window, ended.turn_id):\n",
            "            if True:\n",
            _TURN,
        ),
        ("                self._close(each, wording.TURN_OVER, ", "                (wording.TURN_OVER, ", _TURN),
        (
            "            self._refuse(request, wording.NO_ASKER)\n            return\n",
            "            return\n",
            f"{_ACTOR}::test_a_window_that_says_nothing_holds_up_no_asker_for_long",
        ),
        ("if request is not None and request.reply_to in askers:\n", "if request is not None:\n", _HOST),
        (
            "                        self._withdraw(request.request_id)\n            case Delivered()",
            "                        pass\n            case Delivered()",
            _HOST,
        ),
    ),
    *guards_of(
        "actors/approval/commands.py",
        (
            "        decided_by=UserId(call.person_id),\n",
            "",
            "e2e/test_approval.py::test_a_command_waits_for_the_press_of_who_asked_and_a_strangers_is_refused",
        ),
    ),
    *guards_of(
        "actors/approval/part.py",
        (
            "            operators=frozenset(shell.operators),\n",
            "",
            "e2e/test_approval.py::test_an_operator_may_press",
        ),
        (
            "        operator_verbs={**VERBS},\n",
            "        verbs={**VERBS},\n",
            "actors/approval/test_part.py::test_only_the_operators_socket_can_decide_so_that_no_command_of_a_model_approves_another",
        ),
    ),
    *guards_of(
        "actors/cluster/head.py",
        (
            "            self._system.tell(follower, AskersLost(askers=askers))\n",
            "            pass\n",
            "actors/cluster/test_head.py::test_a_host_that_dies_loses_nothing_and_doubles_nothing_and_the_others_go_on",
        ),
    ),
    *guards_of(
        "actors/shell/actor.py",
        (
            "        elif self._config.asks_first and not request.is_operators:\n",
            "        elif False:\n",
            f"{_SHELL}::test_a_command_is_run_only_after_a_grant_and_others_do_not_wait_for_it",
        ),
        (
            "        if refused.is_unknown:\n",
            "        if False:\n",
            f"{_SHELL}::test_what_an_earlier_life_may_have_run_is_not_run_without_an_open_question",
        ),
    ),
    *guards_of(
        "actors/web/actor.py",
        (
            "        allow = self._approvals.add if config.asks_first else self._enter\n",
            "        allow = self._enter\n",
            f"{_WEB}::test_a_page_is_fetched_only_after_a_grant",
        ),
    ),
    *guards_of(
        "actors/part/approvals.py",
        (
            "        if isinstance(answer, ApprovalGranted):\n",
            "        if True:\n",
            f"{_WEB}::test_a_refused_request_reaches_no_server_and_says_why",
        ),
        (
            "        self._host.tell(APPROVAL, WithdrawApproval(request_id=question_id))\n",
            "",
            f"{_SHELL}::test_a_cancelled_command_waits_no_longer",
        ),
    ),
    *guards_of(
        "actors/part/plan.py",
        (
            'self.caller_lets_write or shell.network == "on" or shell.sandbox == "none"',
            "self.caller_lets_write",
            "actors/part/test_plan.py::test_commands_that_can_change_what_is_outside_of_a_sandbox_are_asked_about",
        ),
    ),
    *guards_of(
        "actors/context/part.py",
        (
            "        resumes_calls=plan.asks_before_commands,\n",
            "",
            "e2e/test_approval.py::test_a_kill_between_question_and_press_loses_neither",
        ),
    ),
    *guards_of(
        "actors/cli/agent_cli.py",
        (
            "    grants = has_terminal and _ask(",
            "    grants = not has_terminal or _ask(",
            "actors/cli/test_agent_cli.py::test_without_a_terminal_what_must_be_asked_is_refused_and_nothing_else",
        ),
    ),
)
