"""Updates of files: tidying behind a cut, without loss."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from domain.workspace.files.history_file import folding
from domain.workspace.files.memory_file import SECTIONS
from tests.actors.workspace.rig import FOUND, ON, STATE, WorkspaceRig, reply_of


@pytest.fixture
def rig(tmp_path: Path) -> WorkspaceRig:
    return WorkspaceRig(tmp_path, **ON)


def fill(rig: WorkspaceRig, blocks: int) -> None:
    rig.prepare()
    memory = rig.text("MEMORY.md")
    history = rig.text("HISTORY.md")
    for number in range(blocks):
        memory += f"\n## Update 2026-11-0{number + 1}T09:00:00Z\n- Decisions: Shelf number {number} is oak\n"
        history += (
            f"\n## 2026-11-0{number + 1}T09:00:00Z\n" + f"On day {number} much was said about shelves. " * 12 + "\n"
        )
    rig.write("MEMORY.md", memory)
    rig.write("HISTORY.md", history)


def cut(rig: WorkspaceRig) -> None:
    rig.prepare_compaction([rig.add_turn("one")])
    rig.work("session", STATE)
    rig.work("consolidate", FOUND)


@pytest.mark.req("S4-150", "S4-155")
def test_behind_a_cut_long_files_are_made_shorter_and_what_was_there_is_kept(rig: WorkspaceRig) -> None:
    fill(rig, 6)
    cut(rig)
    lists = dict.fromkeys(SECTIONS, "") | {
        "Decisions": "".join(f"- Shelf number {number} is oak\n" for number in range(6))
        + "- The gas budget is 400 euros\n"
    }
    rig.work("sweep", "\n".join(f"## {title}\n{text}" for title, text in lists.items()))
    memory = rig.text("MEMORY.md")
    assert "## Update" not in memory
    assert memory.count("Shelf number") == 6
    (before,) = (rig.agent / "before").glob("MEMORY-*")
    assert "## Update" in before.read_text()
    rig.work("fold", "Shelves were talked about for days, and in the end oak was taken for all of them. " * 3)
    history, archive = rig.text("HISTORY.md"), rig.text("HISTORY.archive.md")
    assert "Folded History Through" in history
    assert "On day 0" not in history
    assert "On day 0" in archive
    assert "On day 5" in history
    assert "The kiln was planned." in history


@pytest.mark.parametrize("line", ["x" * 99 + "\n", "\n"], ids=["bytes", "lines"])
@pytest.mark.parametrize("over", [False, True], ids=["full", "fuller than it can be read"])
def test_a_full_archive_is_put_aside_and_another_begun(rig: WorkspaceRig, line: str, over: bool) -> None:
    fill(rig, 6)
    full = line * ((1_048_576 // 100 if len(line) > 1 else 9_999) + 200 * over)
    rig.write("HISTORY.archive.md", full)
    cut(rig)
    rig.work("sweep", "")
    rig.work("fold", "Shelves were talked about for days, and in the end oak was taken for all of them. " * 3)
    (aside,) = rig.folder.glob("HISTORY.archive-*.md")
    assert aside.read_text() == full
    assert "On day 0" in rig.text("HISTORY.archive.md")
    assert "Folded History Through" in rig.text("HISTORY.md")


def test_a_fold_that_was_killed_behind_a_full_archive_puts_no_block_there_twice(rig: WorkspaceRig) -> None:
    fill(rig, 6)
    history = rig.text("HISTORY.md")
    blocks = folding(history.encode())[0].decode()
    rig.write("HISTORY.archive.md", ("x" * 199 + "\n") * ((1_048_576 - 2 * len(blocks)) // 200))
    for _ in range(2):
        cut(rig)
        rig.work("sweep", "")
        rig.work("fold", "Shelves were talked about for days, and in the end oak was taken for all of them. " * 3)
        rig.settle(70.0)
        rig.write("HISTORY.md", history)  # as a kill leaves it before the fold itself
        rig.live_again()
    assert rig.text("HISTORY.archive.md").count("On day 0 much") == 12
    assert [*rig.folder.glob("HISTORY.archive-*.md")] == []


def test_what_session_has_no_room_for_is_in_memory(rig: WorkspaceRig) -> None:
    rules = [f"Never touch valve {number}" for number in range(14)]
    rig.prepare_compaction([rig.add_turn("one")])
    rig.work("session", {**STATE, "constraints": rules})
    rig.work("consolidate", {**FOUND, "entries": []})
    assert rig.text("SESSION.md").count("Never touch valve") == 12
    assert "- Constraints: Never touch valve 13" in rig.text("MEMORY.md")
    assert all(rule in rig.head(kept_from="kept") for rule in rules)


def test_an_archive_that_is_no_file_of_its_own_is_left_and_nothing_is_folded(rig: WorkspaceRig, tmp_path: Path) -> None:
    fill(rig, 6)
    (tmp_path / "elsewhere").write_text("x" * 1_048_576)
    (rig.folder / "HISTORY.archive.md").symlink_to(tmp_path / "elsewhere")
    cut(rig)
    rig.work("sweep", "")
    rig.work("fold", "Shelves were talked about for days, and in the end oak was taken for all of them. " * 3)
    assert (rig.folder / "HISTORY.archive.md").is_symlink()
    assert (tmp_path / "elsewhere").read_text() == "x" * 1_048_576
    assert "On day 0" in rig.text("HISTORY.md")


def test_a_sweep_whose_file_a_person_changes_meanwhile_loses_nothing_of_theirs(rig: WorkspaceRig) -> None:
    fill(rig, 6)
    cut(rig)
    (asked,) = rig.requests()
    rig.write("MEMORY.md", rig.text("MEMORY.md") + "\n## Ours\n- Tea at four\n")
    text = "\n".join(f"## {title}\n" for title in SECTIONS)
    rig.tell(reply_of(asked, text))
    rig.settle(5.0)
    memory = rig.text("MEMORY.md")
    assert "Tea at four" in memory
    assert memory.count("Shelf number") == 6, "an answer that loses so much is not taken"


@pytest.mark.parametrize("answer", ["", "no", "## Constraints\n- x", json.dumps(FOUND), "## Decisions\n" * 1_000])
def test_a_bad_answer_changes_nothing(rig: WorkspaceRig, answer: str) -> None:
    fill(rig, 6)
    cut(rig)
    before = rig.texts
    rig.work("sweep", answer)
    rig.work("fold", answer)
    assert rig.texts[1:] == before[1:]


KEY = "own-key-zebra-77-plain"


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(STATE | {"next_steps": [f"use {KEY}"]}),
        json.dumps(STATE | {"next_steps": [f"use {KEY} <!-- x -->"]}),
        json.dumps(STATE | {"next_steps": [f"use {KEY} \x01"]}),
        json.dumps(STATE | {"next_steps": {"a": KEY}}),
        json.dumps(STATE | {"next_steps": {"a": "x" * 60 + KEY}}),
        json.dumps(STATE | {"next_steps": ["x" * 68 + f" {KEY} <!-- x -->"]}),
        json.dumps(STATE | {"title": f"INJECTED_CONTEXT {KEY}"}),
        json.dumps(STATE | {"title": f"{KEY[:9]}\u200b{KEY[9:]} <!--"}),
        json.dumps(STATE | {"title": f"{KEY[:9]}\u00ad{KEY[9:]}"}),
        json.dumps({KEY: 1}),
        f"Sorry, {KEY} is all I have",
        json.dumps(STATE | {"title": "# x " + KEY}).replace(KEY, KEY.replace("-", "\\u002d")),
    ],
)
def test_an_answer_with_the_agents_own_key_leaves_it_in_no_log_and_no_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, answer: str
) -> None:
    caplog.set_level("DEBUG")
    rig = WorkspaceRig(tmp_path, secrets=frozenset({KEY}), **ON)
    rig.prepare()
    rig.turn("one")
    rig.turn("two")
    rig.work("session", answer)
    assert "left out" in caplog.text or "cannot be used" in caplog.text, "it is said that there was one"
    told = caplog.text + "".join(path.read_text() for path in rig.folder.rglob("*") if path.is_file())
    for escape in ("\\u002d", "\u002d"):
        told = told.replace(escape, "-")
    assert KEY[:12] not in told.replace("\u200b", "").replace("\u00ad", "").replace("\\xad", "")


@pytest.mark.parametrize("secrets", [frozenset[str](), frozenset({KEY})])
def test_an_answer_without_a_secret_is_told_with_its_beginning_and_kept_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, secrets: frozenset[str]
) -> None:
    rig = WorkspaceRig(tmp_path, secrets=secrets, **ON)
    rig.prepare()
    rig.turn("one")
    rig.turn("two")
    answer = json.dumps({"Kiln": 1})
    rig.work("session", answer)
    assert "answer with 'Kiln': must have the fields" in caplog.text
    assert (rig.agent / "refused-session.txt").read_text() == answer


def test_what_is_told_of_a_file_that_is_not_made_shorter_has_no_key(
    rig: WorkspaceRig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.options["secrets"] = frozenset({KEY})
    rig.live_again()
    fill(rig, 6)
    folded = f"## Folded History Through {KEY}\nOf old.\n\n"
    rig.write("HISTORY.md", rig.text("HISTORY.md").replace("## 2026-11-01", f"{folded}## 2026-11-01"))
    cut(rig)
    rig.work("sweep", f"{KEY}\n```\nx\n```")
    (asked,) = rig.requests()
    rig.write("HISTORY.md", rig.text("HISTORY.md").replace("Of old.", "Of very old."))
    rig.tell(reply_of(asked, "Shelves were talked about for days, and oak was taken for all of them. " * 3))
    rig.settle(5.0)
    assert "the answer of the worker for sweep cannot be used" in caplog.text
    assert "has changed since a worker read it" in caplog.text or "they hold a secret" in caplog.text
    assert caplog.text.count("a file is not made shorter") == 2
    assert KEY not in caplog.text


def test_what_an_earlier_life_left_is_told_without_a_key(rig: WorkspaceRig, caplog: pytest.LogCaptureFixture) -> None:
    rig.options["secrets"] = frozenset({KEY})
    rig.prepare()
    found = {"stretch": "s", "turns": [], "at": "2026-11-25T09:00:00+00:00", "entries": [[KEY, "x"]], "block": ""}
    times = {"first_at": "2026-11-25T09:00:00+00:00", "last_at": f"{KEY}"}
    rig.write(".agent/pending.json", json.dumps(found | times))
    rig.live_again()
    rig.prepare()
    rig.settle(5.0)
    assert "the entries of a worker are not written" in caplog.text
    assert KEY not in caplog.text


def test_only_five_earlier_versions_are_kept(rig: WorkspaceRig) -> None:
    for number in range(7):
        rig.settle(1.0)
        fill(rig, 4)
        rig.prepare_compaction([rig.add_turn(f"turn {number}")], first_kept=f"k{number}")
        rig.work("session", STATE)
        rig.work("consolidate", {**FOUND, "history": f"The kiln was planned for the {number} time."})
        lists = dict.fromkeys(SECTIONS, "") | {
            "Decisions": "".join(f"- Shelf number {each} is oak\n" for each in range(4))
            + "- The gas budget is 400 euros\n"
        }
        rig.work("sweep", "\n".join(f"## {title}\n{text}" for title, text in lists.items()))
        for _ in range(60):
            rig.turn("so that the next calls are earned", outcome="failed")
            for request in rig.requests():
                rig.tell(reply_of(request, "Planned." if "fold" in request.purpose else json.dumps(STATE)))
                rig.settle(1.0)
        rig.live_again()
        (rig.folder / "HISTORY.md").unlink()
        (rig.folder / "MEMORY.md").unlink()
    assert len(list((rig.agent / "before").glob("MEMORY-*"))) == 5
