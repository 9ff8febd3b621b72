"""Upkeep of one window's files: what is asked of models and when, what comes before a cut, and what failures cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.workspace.files.session_state import LONGEST_SESSION, MOST_ITEMS, SESSION_TEMPLATE
from messages.model import ModelFailed
from tests.actors.workspace.rig import WorkspaceRig, lasting_answer, reply_of, session_answer

LOG = "logs/a.md"
Make = Callable[..., WorkspaceRig]
NAMES = ("SESSION.md", "MEMORY.md", "HISTORY.md")
PURPOSES = ["workspace.session", "workspace.consolidate"]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda **options: WorkspaceRig(tmp_path, **options)


@pytest.fixture
def kept_rig(make: Make) -> WorkspaceRig:
    """A workspace that models keep."""
    rig = make(session=True, compaction=True, llm=True, recall=True)
    rig.prepare()
    return rig


def test_a_turn_that_is_told_again_counts_once(kept_rig: WorkspaceRig) -> None:
    turn = kept_rig.turn("We build a kiln.")
    for _ in range(3):
        kept_rig.tell(kept_rig.end_report(turn))
        kept_rig.settle()
    assert kept_rig.requests() == []

    kept_rig.turn("It is blue.")
    assert [request.purpose for request in kept_rig.requests()] == ["workspace.session"]


@pytest.mark.parametrize("is_new_life", [False, True])
def test_several_turns_that_are_told_again_count_once_each(kept_rig: WorkspaceRig, *, is_new_life: bool) -> None:
    turns = [kept_rig.turn("We build a kiln."), kept_rig.turn("It is blue.")]
    kept_rig.answer_next(session_answer(next_step="Fire it."))
    if is_new_life:
        kept_rig.die()
    for turn in turns:
        kept_rig.tell(kept_rig.end_report(turn))
        kept_rig.settle()

    assert kept_rig.requests() == []
    assert json.loads((kept_rig.agent / "state.json").read_text())["dirty"] == []


@pytest.mark.req("S4-78", "S4-85", "S4-100", "S4-101", "S4-33")
def test_missing_files_are_made_and_those_that_are_there_stay_as_they_are(make: Make) -> None:
    rig = make()
    rig.prepare()
    assert sorted(path.name for path in rig.folder.glob("*.md")) == sorted(NAMES)
    (rig.folder / "MEMORY.md").write_bytes(b"mine\r\n")
    (rig.folder / "SESSION.md").unlink()
    rig.prepare()
    assert (rig.folder / "MEMORY.md").read_bytes() == b"mine\r\n"
    assert rig.text("SESSION.md").startswith("# Session Title")


@pytest.mark.req("S4-15", "S4-20", "S4-38", "S4-143", "S4-21", "S4-124")
def test_what_people_share_is_never_written(kept_rig: WorkspaceRig) -> None:
    shared = {name: f"{name} is ours\n" for name in ("SOUL.md", "AGENTS.md", "MEMORY.md")}
    for name, text in shared.items():
        (kept_rig.root / name).write_text(text)
    for number in range(6):
        kept_rig.say(f"number {number}")
        if request := kept_rig.next_request():
            kept_rig.answer(request, session_answer(next_steps=[f"Step {number}"]))
        kept_rig.prepare("continue")
    cut = kept_rig.begin_cut()
    kept_rig.answer_next(session_answer())
    kept_rig.answer_next(lasting_answer())
    assert kept_rig.ready(cut) is not None
    assert {name: (kept_rig.root / name).read_text() for name in shared} == shared


@pytest.mark.req("S4-19", "S4-136", "S4-177", "X-107")
def test_soul_and_agents_hold_as_they_were_when_the_log_began_over_restarts(make: Make) -> None:
    rig = make()
    rig.root.mkdir(exist_ok=True)
    (rig.root / "SOUL.md").write_text("You are patient.\n")
    first = rig.prepare().instructions
    assert "You are patient." in first
    (rig.root / "SOUL.md").write_text("You are hasty.\n")
    rig.live_again()
    assert rig.prepare().instructions == first
    assert "You are hasty." in rig.prepare(log=f"{LOG}2").instructions


@pytest.mark.req("S4-131", "S4-176", "S4-129", "S4-32", "S4-39", "S4-117")
def test_no_memory_is_in_the_system_prompt_and_without_recall_none_in_front_of_a_prompt(make: Make) -> None:
    rig = make()
    rig.prepare()
    (rig.root / "MEMORY.md").write_text("- Celadon is for stoneware\n")
    (rig.folder / "MEMORY.md").write_text("- Celadon is sold out\n")
    given = rig.prepare("celadon")
    assert (given.block, "Celadon" in given.instructions) == ("", False)


@pytest.mark.req("S4-08", "S4-83", "S4-02", "S4-67", "S4-68", "S4-86", "S4-174", "S4-175", "X-67")
def test_the_state_of_the_work_is_recalled_after_a_restart_and_in_a_new_window(make: Make) -> None:
    rig = make(recall=True)
    rig.prepare()
    (rig.folder / "SESSION.md").write_text("# Current State\n- The second kiln is being loaded\n")
    before = rig.text("SESSION.md")
    rig.live_again()
    rig.begin_window()
    assert "The second kiln is being loaded" in rig.prepare("continue", log=f"{LOG}2").block
    assert rig.text("SESSION.md") == before


@pytest.mark.req("S4-81", "S4-65", "S4-87", "S4-186")
def test_the_session_is_brought_up_to_date_behind_turns_and_what_that_costs_is_counted(kept_rig: WorkspaceRig) -> None:
    kept_rig.say("We load the kiln.")
    assert kept_rig.next_request() is None
    kept_rig.say("It is loaded.")
    request = kept_rig.answer_next(session_answer(current_state=["The kiln is loaded"]))
    assert (request.purpose, request.is_background, request.tools) == ("workspace.session", True, ())
    assert "- The kiln is loaded" in kept_rig.text("SESSION.md")
    assert [usage.cost_usd for usage in kept_rig.counted] == [0.25]


@pytest.mark.req("S4-145", "X-61", "X-103")
def test_without_a_cut_nothing_is_consolidated(kept_rig: WorkspaceRig) -> None:
    purposes = set()
    for number in range(50):
        kept_rig.say(f"number {number}")
        if request := kept_rig.next_request():
            purposes.add(request.purpose)
            kept_rig.answer(request, session_answer(current_state=[f"At {number}"]))
    assert purposes == {"workspace.session"}


@pytest.mark.req("S4-07", "S4-13", "S4-14", "X-61", "X-65")
def test_without_llm_no_model_is_asked_and_every_cut_is_agreed_on(make: Make) -> None:
    rig = make(session=True, compaction=True)
    rig.prepare()
    rig.say("Never fire on a Friday.")
    rig.say("Fine.")
    ready = rig.ready(rig.begin_cut())
    assert ready is not None
    assert (ready.cut, "Never fire on a Friday." in ready.handover) == (True, True)
    assert rig.next_request() is None


@pytest.mark.req("S4-95", "S4-166", "S4-171", "S4-172", "S4-82", "S4-66", "S4-180", "S4-88")
@pytest.mark.req("S4-120", "S4-173", "S4-98", "S4-126", "S4-151")
def test_before_a_cut_the_session_is_written_then_memory_and_history_and_then_it_may_come(
    kept_rig: WorkspaceRig,
) -> None:
    (kept_rig.folder / "HISTORY.md").write_text("# History\n\n## 2026-01-01T08:00:00Z\n- A month went by.\n")
    older = kept_rig.text("HISTORY.md")
    kept_rig.say("Ask Mona first.")
    cut = kept_rig.begin_cut(words="the budget")
    asked = [kept_rig.answer_next(session_answer(constraints=["Ask Mona before firing"]))]
    assert kept_rig.ready(cut) is None
    asked.append(kept_rig.answer_next(lasting_answer()))
    ready = kept_rig.ready(cut)
    assert [request.purpose for request in asked] == PURPOSES
    assert all("the budget" in request.messages[0].text for request in asked)
    assert ready is not None
    assert (ready.cut, "Ask Mona before firing" in ready.handover) == (True, True)
    assert "400 euros" in ready.handover, "constraints of MEMORY.md are handed over too"
    assert "The gas budget is 400 euros" in kept_rig.text("MEMORY.md")
    assert "The kiln was planned." in kept_rig.text("HISTORY.md").removeprefix(older)
    assert kept_rig.text("HISTORY.md").startswith(older)


@pytest.mark.req("S4-167", "S4-154", "S4-156", "S4-103", "S4-168")
def test_files_that_have_grown_are_tidied_behind_the_cut_one_job_at_a_time(kept_rig: WorkspaceRig) -> None:
    blocks = "".join(f"## 2026-0{month}-01T08:00:00Z\n- Much was done in month {month}.\n\n" for month in range(1, 6))
    updates = "".join(
        f"## Update 2026-0{month}-01T08:00:00Z\n- Decisions: Glaze {month} is kept_rig <!-- m:{month:012x} -->\n\n"
        for month in range(1, 5)
    )
    with (kept_rig.folder / "MEMORY.md").open("a") as memory, (kept_rig.folder / "HISTORY.md").open("a") as history:
        memory.write(f"\n{updates}")
        history.write(f"\n{blocks}")
    kept_rig.say("Ask Mona first.")
    cut = kept_rig.begin_cut()
    kept_rig.answer_next(session_answer(constraints=["Ask Mona before firing"]))
    kept_rig.answer_next(lasting_answer())
    assert kept_rig.ready(cut) is not None, "what comes behind delays no cut"
    sweep = kept_rig.next_request()
    assert sweep is not None
    assert (sweep.purpose, kept_rig.next_request()) == ("workspace.sweep", None)
    kept_rig.answer(sweep, "no")
    fold = kept_rig.next_request()
    assert fold is not None
    kept_rig.answer(fold, "In the first months much was done, every month anew.")
    assert fold.purpose == "workspace.fold"
    assert "Folded History Through" in kept_rig.text("HISTORY.md")
    assert "month 1" in kept_rig.text("HISTORY.archive.md")
    assert (kept_rig.folder / ".agent" / "refused-sweep.txt").read_text() == "no"


@pytest.mark.req("S4-96", "S4-41")
def test_where_the_session_cannot_be_refreshed_the_last_one_is_handed_over(kept_rig: WorkspaceRig) -> None:
    (kept_rig.folder / "SESSION.md").write_text("# Constraints\n- Ask Mona before firing\n")
    kept_rig.say("Fine so.")
    cut = kept_rig.begin_cut()
    kept_rig.fail_next()
    kept_rig.answer_next(lasting_answer())
    ready = kept_rig.ready(cut)
    assert ready is not None
    assert (ready.cut, "Ask Mona before firing" in ready.handover) == (True, True)


@pytest.mark.req("S4-97", "S4-98", "S4-119", "S4-169", "X-103")
def test_where_the_rest_cannot_be_written_a_session_is_enough_and_it_is_made_up_for_later(
    kept_rig: WorkspaceRig,
) -> None:
    (kept_rig.folder / "SESSION.md").write_text("# Constraints\n- Ask Mona before firing\n")
    kept_rig.say("Fine so.")
    cut = kept_rig.begin_cut()
    kept_rig.fail_next()
    kept_rig.fail_next()
    ready = kept_rig.ready(cut)
    assert ready is not None
    assert ready.cut
    kept_rig.live_again()
    purposes = []
    for number in range(8):
        kept_rig.settle(60.0)
        kept_rig.say(f"number {number}")
        if request := kept_rig.next_request():
            purposes.append(request.purpose)
            is_session = request.purpose == PURPOSES[0]
            kept_rig.answer(request, session_answer(current_state=["On"]) if is_session else lasting_answer())
    assert purposes.count("workspace.consolidate") == 1
    assert "The gas budget is 400 euros" in kept_rig.text("MEMORY.md")


@pytest.mark.req("S4-170", "X-103")
def test_where_nothing_would_be_kept_the_cut_is_put_off(kept_rig: WorkspaceRig) -> None:
    kept_rig.say("Fine so.")
    cut = kept_rig.begin_cut()
    kept_rig.fail_next()
    kept_rig.fail_next()
    ready = kept_rig.ready(cut)
    assert ready is not None
    assert (ready.cut, "could not be written down" in ready.trouble) == (False, True)


@pytest.mark.req("S4-99", "S4-41")
def test_a_worker_that_hangs_delays_one_cut_and_no_turn(kept_rig: WorkspaceRig) -> None:
    (kept_rig.folder / "SESSION.md").write_text("# Constraints\n- Ask Mona before firing\n")
    kept_rig.say("Fine so.")
    cut = kept_rig.begin_cut()
    assert kept_rig.prepare("continue").stores
    kept_rig.settle(61.0)
    assert kept_rig.ready(cut) is not None
    assert kept_rig.ready(kept_rig.begin_cut(first_kept="later")) is not None, "no worker is waited for"


@pytest.mark.req("S4-99")
@pytest.mark.parametrize("how", ["failed", "silent", "too long"])
def test_while_no_worker_ever_answers_every_turn_is_prepared_at_once_and_every_cut_is_answered(
    kept_rig: WorkspaceRig, how: str
) -> None:
    (kept_rig.folder / "SESSION.md").write_text("# Constraints\n- Ask Mona before firing\n")
    for number in range(6):
        kept_rig.say(f"number {number}")
        cut = kept_rig.begin_cut(first_kept=f"t{number:04}")
        assert kept_rig.prepare("continue").stores, "at once, though a cut is being readied"
        ready = None
        for _ in range(4):
            request = kept_rig.next_request()
            if request is not None and how == "failed":
                kept_rig.tell(ModelFailed(request_id=request.request_id, reason="overloaded", attempts=1))
            elif request is not None and how == "too long":
                kept_rig.tell(reply_of(request, "x" * 1_000_000))
            kept_rig.settle(31.0 if how == "silent" else 3.0)
            ready = ready or kept_rig.ready(cut)
        assert ready is not None, number
        assert (ready.cut, "Ask Mona before firing" in ready.handover) == (True, True)


@pytest.mark.req("S4-84")
def test_however_much_workers_add_the_session_stays_short_and_what_is_resolved_goes(kept_rig: WorkspaceRig) -> None:
    used = 0
    for turn in range(60):
        kept_rig.say(f"turn {turn}")
        if request := kept_rig.next_request():
            number = used = used + 1
            many = [f"{number}.{each} {'word ' * 40}" for each in range(MOST_ITEMS + 3)]
            resolved = [f"Ask Mona {number - 1} first"]
            answer = session_answer(
                worklog=many,
                next_steps=many,
                active_files=many,
                current_state=many,
                errors=[f"Ask Mona {number} first"],
            )
            kept_rig.answer(request, json.dumps({**json.loads(answer), "resolved": resolved}))
            text = kept_rig.text("SESSION.md")
            assert f"Ask Mona {number} first" in text
            assert f"Ask Mona {number - 1} first" not in text
            assert text.count("- ") <= 5 * MOST_ITEMS
            assert len(text) <= LONGEST_SESSION + len(SESSION_TEMPLATE)
            assert f"{number}.0 word" in text, "each answer was used"
    assert used >= 6


@pytest.mark.req("S4-40", "S4-184", "S4-41", "S4-186")
@pytest.mark.parametrize("bad", ["", "I would rather not.", '{"title": 1}', "{" * 50])
def test_a_bad_answer_changes_no_file(kept_rig: WorkspaceRig, bad: str) -> None:
    before = [kept_rig.text(name) for name in NAMES]
    kept_rig.say("one")
    kept_rig.say("two")
    kept_rig.answer_next(bad)
    assert [kept_rig.text(name) for name in NAMES] == before
    assert (kept_rig.folder / ".agent" / "refused-session.txt").read_text() == bad


@pytest.mark.req("S4-60", "S4-141", "X-110", "S4-51")
def test_what_people_write_while_a_worker_thinks_stays(kept_rig: WorkspaceRig) -> None:
    kept_rig.say("one")
    kept_rig.say("two")
    request = kept_rig.next_request()
    assert request is not None
    path = kept_rig.folder / "SESSION.md"
    path.write_text(path.read_text() + "\n# Ours\n- by hand\n")
    kept_rig.answer(request, session_answer(current_state=["The kiln is loaded"]))
    assert "# Ours\n- by hand\n" in path.read_text()
    assert "- The kiln is loaded" in path.read_text()


@pytest.mark.req("S4-127", "S4-178", "S4-179", "S4-146", "S4-16", "S4-124", "X-66")
def test_words_are_told_by_the_window_and_no_log_is_opened(kept_rig: WorkspaceRig) -> None:
    log = kept_rig.root.parent / LOG
    log.parent.mkdir()
    for path in (
        log,
        *(folder / f"{name}.jsonl" for folder in (kept_rig.root, kept_rig.folder) for name in ("log", "context")),
    ):
        path.write_text("## 2026-11-25 Alice\n7731: what only the log's file says\n")
    kept_rig.say("one")
    kept_rig.say("two")
    first = kept_rig.answer_next(session_answer(next_steps=["Three"]))
    assert '"said":"one"' in first.messages[0].text
    assert [(each.log, each.first, each.last) for each in kept_rig.asked] == [(LOG, "t0001", "")]
    cut = kept_rig.begin_cut()
    requests = [first, kept_rig.answer_next(session_answer()), kept_rig.answer_next(lasting_answer())]
    ready = kept_rig.ready(cut)
    kept_rig.begin_window()
    kept_rig.settle(1.0)
    assert ready is not None
    recalled = kept_rig.prepare("What does the file of the log say of 7731?").block
    shown = [
        *(request.messages[0].text for request in requests),
        ready.handover,
        kept_rig.head(),
        recalled,
        *kept_rig.texts,
    ]
    assert [text for text in shown if "7731" in text] == []


@pytest.mark.req("S4-118")
def test_any_switches_go_together(tmp_path: Path, subtests: pytest.Subtests) -> None:
    names = ("recall", "session", "compaction", "llm")
    for number in range(16):
        with subtests.test(number=number):
            switches: dict[str, Any] = {name: bool(number >> place & 1) for place, name in enumerate(names)}
            rig = WorkspaceRig(tmp_path / str(number), **switches)
            rig.prepare()
            rig.write("MEMORY.md", "- Celadon is sold out\n")
            rig.say("one")
            rig.say("two")
            assert bool(rig.prepare("celadon?").block) is bool(number & 1)
            assert (rig.next_request() is not None) is (number & 0b1010 == 0b1010)
            assert rig.text("MEMORY.md") == "- Celadon is sold out\n"
