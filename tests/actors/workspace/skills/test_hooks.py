from __future__ import annotations

from pathlib import Path

import pytest

from actors.kernel import ActorSystem, ManualClock
from actors.workspace.skills.hooks import MOST_IN_LANE, PATIENCE_S, HookOutput
from messages.base import RequestId
from messages.shell import BashOutcome, BashRefused, BashResult, CancelBash, RunBash
from tests.actors.workspace.skills.hook_rig import OWNER, WINDOW, HookRig, told_to, write_skill

HOOK = "hooks: {before_prompt: x.sh}"


@pytest.fixture
def rig(system: ActorSystem, tmp_path: Path) -> HookRig:
    """Two skills with a hook before prompts, one of them with one before compaction too."""
    write_skill(tmp_path / "tea", "hooks: {before_prompt: x.sh, before_compact: y.sh}", x="", y="")
    write_skill(tmp_path / "coffee", HOOK, x="")
    rig = HookRig(system, tmp_path)
    rig.play_the_shell()
    return rig


def result(request: RunBash, text: str, *, code: int = 0, outcome: BashOutcome = BashOutcome.EXITED) -> BashResult:
    return BashResult(
        request_id=request.request_id,
        outcome=outcome,
        exit_code=code if outcome is BashOutcome.EXITED else None,
        text=text,
        truncated=False,
        full_output_path="",
        duration_s=0.1,
    )


@pytest.mark.req("S4-12", "S4-42", "S4-112", "S4-116", "X-114")
def test_every_skills_hook_runs_at_its_event_only_by_the_shell_and_with_the_facts(
    rig: HookRig, system: ActorSystem, tmp_path: Path
) -> None:
    rig.begin("before_compact", cut_turns=12)
    system.run()

    (request,) = rig.requests
    assert (request.window, request.reply_to, request.audience) == (WINDOW, OWNER, "guild:1")
    assert (request.lane, request.timeout_s, request.is_operators) == ("hook tea before_compact", 5.0, True)
    assert f"| bash {tmp_path}/tea/y.sh " in request.command
    assert told_to(request) == {
        "event": "before_compact",
        "window": WINDOW.address.key,
        "turn_id": "t1",
        "skill_folder": str(tmp_path / "tea"),
        "cut_turns": 12,
    }
    assert rig.actor.hooks.are_running
    system.tell(OWNER, result(request, "ignored"))
    system.run()
    assert rig.outputs == [()]
    assert not rig.actor.hooks.are_running


def test_without_a_hook_for_the_event_there_is_nothing_to_wait_for(rig: HookRig, system: ActorSystem) -> None:
    rig.begin("after_subagent")
    system.run()

    assert rig.actor.begun == [False]
    assert (rig.asked, rig.outputs) == ([], [])
    assert [rig.actor.hooks.are_for(event) for event in ("after_subagent", "before_compact")] == [False, True]


def test_hooks_of_an_event_run_at_once_and_what_they_say_is_handed_on_in_order(
    rig: HookRig, system: ActorSystem
) -> None:
    rig.begin("before_prompt", text="Hello?")
    system.run()
    coffee, tea = rig.requests
    assert {request.timeout_s for request in rig.requests} == {1.5}

    system.tell(OWNER, result(tea, "Two cups.\n"))
    system.run()
    assert rig.outputs == []
    system.tell(OWNER, result(coffee, "INJECTED_CONTEXT_MEMORY"))
    system.run()

    assert rig.outputs == [(HookOutput("coffee", "> INJECTED_CONTEXT_MEMORY"), HookOutput("tea", "Two cups."))]
    assert rig.actor.strangers == []


def test_a_hook_that_takes_too_long_is_left_and_named(rig: HookRig, system: ActorSystem, clock: ManualClock) -> None:
    rig.begin("before_prompt")
    system.run()
    coffee, tea = rig.requests
    system.tell(OWNER, result(tea, "Two cups."))
    system.run()
    clock.advance(1.5)
    system.run()

    assert rig.outputs == [(HookOutput("tea", "Two cups."),)]
    assert [message for message in rig.asked if isinstance(message, CancelBash)] == [
        CancelBash(request_id=coffee.request_id)
    ]
    assert list(rig.lives.hook_faults) == ["skill coffee: hook before_prompt: took longer than 1.5 s"]
    system.tell(OWNER, result(coffee, "late"))  # nobody waits for it
    system.run()
    assert len(rig.outputs) == 1
    assert len(rig.actor.strangers) == 1


def test_a_hook_that_fails_or_is_refused_counts_for_nothing_and_is_named_until_it_works(
    rig: HookRig, system: ActorSystem
) -> None:
    rig.begin("before_prompt")
    system.run()
    coffee, tea = rig.requests
    system.tell(OWNER, result(tea, "half of it", code=3))
    system.tell(OWNER, BashRefused(request_id=coffee.request_id, reason="Commands are turned off here."))
    system.run()
    assert rig.outputs == [()]
    assert list(rig.lives.hook_faults) == [
        "skill tea: hook before_prompt: ended with exit code 3",
        "skill coffee: hook before_prompt: was not run: Commands are turned off here.",
    ]

    rig.begin("before_prompt")
    system.run()
    coffee, tea = rig.requests[2:]
    system.tell(OWNER, result(tea, "(no output)"))
    system.tell(OWNER, result(coffee, "", outcome=BashOutcome.TIMED_OUT))
    system.run()
    assert list(rig.lives.hook_faults) == ["skill coffee: hook before_prompt: took longer than 1.5 s"]


@pytest.mark.req("X-114")
def test_a_script_is_run_only_from_inside_its_skills_folder(rig: HookRig, system: ActorSystem, tmp_path: Path) -> None:
    (tmp_path / "tea" / "x.sh").unlink()
    (tmp_path / "tea" / "x.sh").symlink_to("/bin/sh")
    (tmp_path / "coffee" / "x.sh").unlink()

    rig.begin("before_prompt")
    system.run()

    assert rig.actor.begun == [False]
    assert rig.requests == []
    assert list(rig.lives.hook_faults) == [
        "skill coffee: hook before_prompt: 'x.sh' cannot be read: No such file or directory",
        "skill tea: hook before_prompt: 'x.sh' leads out of the skill's folder",
    ]


def test_a_folder_is_no_script_and_a_link_inside_the_folder_is_one(
    rig: HookRig, system: ActorSystem, tmp_path: Path
) -> None:
    (tmp_path / "tea" / "x.sh").unlink()
    (tmp_path / "tea" / "x.sh").symlink_to("y.sh")
    (tmp_path / "coffee" / "x.sh").unlink()
    (tmp_path / "coffee" / "x.sh").mkdir()

    rig.begin("before_prompt")
    system.run()

    assert [f"{tmp_path}/tea/y.sh" in request.command for request in rig.requests] == [True]
    assert list(rig.lives.hook_faults) == ["skill coffee: hook before_prompt: 'x.sh' must be a plain file"]


def test_what_runs_can_be_cancelled(rig: HookRig, system: ActorSystem, clock: ManualClock) -> None:
    rig.begin("before_prompt")
    system.run()

    rig.actor.hooks.cancel()
    system.run()
    clock.advance(10)
    system.run()

    assert len([message for message in rig.asked if isinstance(message, CancelBash)]) == 2
    assert rig.outputs == []
    assert rig.actor.strangers == []
    assert not rig.actor.hooks.are_running


def cancelled_ids(rig: HookRig) -> list[RequestId]:
    return [message.request_id for message in rig.asked if isinstance(message, CancelBash)]


def test_a_hook_that_nobody_waits_for_may_wait_for_others_before_its_time_begins(
    rig: HookRig, system: ActorSystem, clock: ManualClock, tmp_path: Path
) -> None:
    write_skill(tmp_path / "tea", "hooks: {after_response: x.sh}", x="")
    for _ in range(5):
        rig.begin("after_response")
    system.run()
    clock.advance(5)
    system.run()

    assert [request.timeout_s for request in rig.requests] == [5.0] * 5, "the shell counts from where it begins"
    assert cancelled_ids(rig) == []
    clock.advance(PATIENCE_S)
    system.run()
    assert cancelled_ids(rig) == [request.request_id for request in rig.requests]
    assert list(rig.lives.hook_faults) == ["skill tea: hook after_response: took longer than 65 s"]
    assert not rig.actor.hooks.are_running


def test_a_cut_waits_for_its_hooks_no_longer_than_they_may_run(
    rig: HookRig, system: ActorSystem, clock: ManualClock
) -> None:
    rig.begin("before_compact")
    system.run()
    clock.advance(5)
    system.run()

    assert rig.outputs == [()]
    assert len(cancelled_ids(rig)) == 1


def test_of_too_many_runs_of_one_hook_the_one_that_waited_longest_is_left_out(
    rig: HookRig, system: ActorSystem, tmp_path: Path
) -> None:
    write_skill(tmp_path / "tea", "hooks: {after_response: x.sh}", x="")
    write_skill(tmp_path / "coffee", "hooks: {after_subagent: x.sh}", x="")
    rig.begin("after_subagent")
    for _ in range(MOST_IN_LANE):
        rig.begin("after_response")
    system.run()
    assert cancelled_ids(rig) == []

    rig.begin("after_response")
    system.run()

    assert cancelled_ids(rig) == [rig.requests[2].request_id], "the first of tea runs, and coffee has a lane of its own"
    assert rig.outputs == [()]
    assert list(rig.lives.hook_faults) == ["skill tea: hook after_response: was left out, since newer ones wait"]


def test_others_answers_are_not_its_own(rig: HookRig, system: ActorSystem) -> None:
    rig.begin("before_prompt")
    system.run()
    stranger = BashRefused(request_id=RequestId("other"), reason="no")

    system.tell(OWNER, stranger)
    system.run()

    assert rig.actor.strangers == [stranger]
