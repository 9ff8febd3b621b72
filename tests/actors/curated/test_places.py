"""Readers and writers of each scope."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from messages.base import Surface, Window
from messages.curated import CURATED, AddFact, FactsFlushed, FactStaged, FactWritten, FlushFacts, RememberFact
from messages.curated_view import CuratedDescribed, DescribeCurated
from messages.discord import Grant, Readers, ReadersListed, WindowReaders
from messages.socket import Refused
from tests.actors.curated.rig import (
    CLOSED,
    DM,
    EVERYBODY,
    GENERAL,
    OPEN,
    OPERATOR,
    PRIVATE,
    ROLE,
    THREAD,
    TURN,
    CuratedRig,
    readers_of,
)

PRIVATE_WORDS = "denied: this conversation is private"
LABEL = f"1:{GENERAL.id}:everyone"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    return tmp_path / "shop"


def may_write(rig: CuratedRig, window: Window, scope: str = "global") -> bool:
    return not isinstance(rig.ask(AddFact, window, scope=scope, text=f"said in {window.id} {window.surface}"), Refused)


def test_global_memory_is_written_from_where_everybody_who_is_shown_it_may_read(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    writers = [window for window in (GENERAL, THREAD, PRIVATE, CLOSED, DM, OPERATOR, TURN) if may_write(rig, window)]
    assert writers == [GENERAL, THREAD, OPERATOR, TURN]


def test_of_two_channels_that_not_all_may_read_neither_writes_what_both_show(tmp_path: Path) -> None:
    other = Grant(is_default=False, allowed_roles=frozenset({"910000000000000098"}))
    rig = CuratedRig(tmp_path, told=(readers_of(GENERAL, GENERAL, other), readers_of(CLOSED, CLOSED, ROLE)))
    assert [window for window in (GENERAL, CLOSED) if may_write(rig, window)] == []
    assert may_write(rig, OPERATOR)


def test_a_channel_for_some_writes_while_it_is_the_only_one(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, told=(readers_of(CLOSED, CLOSED, ROLE),))
    assert may_write(rig, CLOSED)
    assert not may_write(CuratedRig(tmp_path / "dms", told=(readers_of(CLOSED, CLOSED, ROLE),), dms=True), CLOSED)


def test_while_nobody_knows_who_reads_nothing_is_written(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, told=())
    assert "unknown" in rig.refusal(AddFact, scope="global", text="x y")


@pytest.mark.parametrize("window", [PRIVATE, DM])
def test_private_windows_are_told_that_they_are_denied(tmp_path: Path, window: Window) -> None:
    rig = CuratedRig(tmp_path)
    assert rig.refusal(RememberFact, window, scope="global", text="a plan").startswith(PRIVATE_WORDS)
    assert not rig.folder.exists()


@pytest.mark.req("X-70", "X-113")
def test_a_projects_memory_is_seen_and_written_in_its_own_channels_alone(tmp_path: Path, repository: Path) -> None:
    rig = CuratedRig(tmp_path, projects={GENERAL.id: repository})
    assert may_write(rig, GENERAL, "project")
    assert may_write(rig, THREAD, "project")
    assert "Project" in rig.block(PRIVATE, LABEL.replace("everyone", "private"))
    for window in (CLOSED, TURN):
        assert "Project" not in rig.block(window)
        assert "no project that is trusted" in rig.refusal(AddFact, window, scope="project", text="x y")
    assert rig.refusal(AddFact, PRIVATE, scope="project", text="x y").startswith(PRIVATE_WORDS)


def test_a_project_of_two_channels_is_written_only_from_where_both_may_read(tmp_path: Path, repository: Path) -> None:
    rig = CuratedRig(tmp_path, projects={GENERAL.id: repository, CLOSED.id: repository})
    assert may_write(rig, GENERAL, "project")
    assert "may not read this conversation" in rig.refusal(AddFact, CLOSED, scope="project", text="x y")


def test_a_project_of_a_channel_that_nobody_knows_is_not_written(tmp_path: Path, repository: Path) -> None:
    rig = CuratedRig(tmp_path, projects={GENERAL.id: repository, "910000000000000055": repository})
    assert "910000000000000055" in rig.refusal(AddFact, scope="project", text="x y")


def test_a_thread_can_have_a_project_of_its_own(tmp_path: Path, repository: Path) -> None:
    rig = CuratedRig(tmp_path, projects={THREAD.id: repository})
    assert may_write(rig, THREAD, "project")
    assert "Project" not in rig.block(GENERAL)


def test_a_direct_conversation_writes_a_project_that_is_its_own_alone(tmp_path: Path, repository: Path) -> None:
    alone = CuratedRig(tmp_path / "a", projects={DM.id: repository}, dms=True)
    shared = CuratedRig(tmp_path / "b", projects={DM.id: repository, GENERAL.id: repository}, dms=True)
    assert may_write(alone, DM, "project")
    assert not may_write(shared, DM, "project")


def test_a_threads_project_is_known_by_its_last_turn_while_the_connection_is_lost(
    tmp_path: Path, repository: Path
) -> None:
    rig = CuratedRig(tmp_path, projects={GENERAL.id: repository}, told=())
    assert "Project" in rig.block(THREAD, LABEL)
    assert rig.refusal(AddFact, THREAD, scope="project", text="x y").startswith("denied: ")


@pytest.mark.req("S1-49")
def test_the_status_tells_trust_and_who_may_write_but_not_where_an_untrusted_project_is(
    tmp_path: Path, repository: Path
) -> None:
    rig = CuratedRig(tmp_path, projects={GENERAL.id: repository}, trusted=False)
    status = rig.answer(CuratedDescribed, DescribeCurated)
    assert [scope.trust for scope in status.scopes] == ["own"]
    assert "not trusted" in status.note
    assert str(repository) not in str(status)
    private = rig.answer(CuratedDescribed, DescribeCurated, PRIVATE)
    assert private.scopes[0].writable.startswith("this conversation is private")


def test_the_operator_may_name_a_window_and_write_its_project(tmp_path: Path, repository: Path) -> None:
    rig = CuratedRig(tmp_path, projects={CLOSED.id: repository})
    about = CLOSED.address.key
    assert rig.answer(FactWritten, AddFact, OPERATOR, scope="project", text="x y", about=about).done == "added"
    assert "must be a window's key" in rig.refusal(AddFact, OPERATOR, scope="project", text="x", about="nowhere")


@pytest.mark.parametrize("window", [GENERAL, TURN, DM])
def test_nobody_else_reaches_another_windows_scopes_by_naming_it(
    tmp_path: Path, repository: Path, window: Window
) -> None:
    rig = CuratedRig(tmp_path, projects={CLOSED.id: repository})
    assert "no project" in rig.refusal(AddFact, window, scope="project", text="x y", about=CLOSED.address.key)


def test_a_guild_that_is_another_has_other_readers(tmp_path: Path) -> None:
    there = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000077")
    readers = Readers(guild_id="2", channel_id=there.id, sees=OPEN, reads=(OPEN,))
    foreign = WindowReaders(window=there, readers=readers)
    rig = CuratedRig(tmp_path, told=(*EVERYBODY, foreign))
    assert not may_write(rig, GENERAL)


def test_another_scope_is_refused_by_its_name(tmp_path: Path, subtests: pytest.Subtests) -> None:
    numbers = itertools.count()
    for scope in ["", "Global", "both", "../x"]:
        with subtests.test(scope=scope):
            folder = tmp_path / str(next(numbers))
            folder.mkdir()
            rig = CuratedRig(folder)
            assert "must be global or project" in rig.refusal(AddFact, scope=scope, text="x y")


def test_staging_is_answered_with_what_waits(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    assert [rig.answer(FactStaged, RememberFact, scope="global", text=text).waiting for text in ("a b", "c d")] == [
        1,
        2,
    ]


@pytest.mark.parametrize(("setting", "is_hidden"), [("off", True), ("cli", True), ("channels", False)])
def test_commands_of_channels_see_personal_notes_only_where_these_are_shown(
    tmp_path: Path, repository: Path, setting: str, *, is_hidden: bool
) -> None:
    (repository / ".pi" / "memory").mkdir(parents=True)
    rig = CuratedRig(tmp_path, projects={GENERAL.id: repository, "cli": repository}, local_notes=setting)
    assert [folder.hidden for folder in rig.prepare().folders] == [
        ("writeback-journal.jsonl", *(("MEMORY.local.md",) if is_hidden else ()))
    ]
    assert [folder.hidden for folder in rig.prepare(TURN).folders] == [()]


NARROWED = (readers_of(GENERAL, GENERAL, ROLE), readers_of(THREAD, GENERAL, OPEN), readers_of(CLOSED, CLOSED, OPEN))
"""The channel is for a role now, and another one is open."""


def test_what_was_staged_where_fewer_people_read_by_now_waits_and_nobody_is_told_it(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.remember("the salary of Ann")
    rig.system.tell(CURATED, ReadersListed(windows=NARROWED))
    rig.settle()
    reply = rig.answer(FactsFlushed, FlushFacts, CLOSED)
    assert (reply.committed, reply.rejected) == ((), ())
    assert "1 said elsewhere wait" in reply.notes[0]
    assert "salary" not in str(reply)
    assert not (rig.folder / "MEMORY.md").exists()
    assert rig.answer(FactsFlushed, FlushFacts, OPERATOR).committed == (("global", "the salary of Ann"),)


def test_what_was_staged_is_committed_neither_at_the_end_nor_at_the_next_start_where_fewer_people_read_by_now(
    tmp_path: Path,
) -> None:
    rig = CuratedRig(tmp_path)
    rig.remember("the salary of Ann")
    rig.system.tell(CURATED, ReadersListed(windows=NARROWED))
    rig.settle()
    rig.told = NARROWED
    rig.stop()
    rig.start()
    assert not (rig.folder / "MEMORY.md").exists()
    rig.system.tell(CURATED, ReadersListed(windows=EVERYBODY))
    rig.settle()
    assert "salary" in rig.index()


def test_while_nobody_knows_who_reads_one_of_the_agents_channels_global_memory_is_not_written(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, channels=frozenset({GENERAL.id, "910000000000000055"}))
    assert "the readers of channel 910000000000000055" in rig.refusal(AddFact, scope="global", text="x y")
    assert may_write(rig, OPERATOR)
    assert may_write(CuratedRig(tmp_path / "known", channels=frozenset({GENERAL.id, CLOSED.id})), GENERAL)


def test_commands_see_no_journal_in_which_stands_what_was_said_elsewhere(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- one\n")
    assert ["writeback-journal.jsonl" in each.hidden for each in rig.prepare(PRIVATE).folders] == [True]
    assert [each.hidden for each in rig.prepare(TURN).folders] == [()]
