"""Each kind of damage: doctor names it with its repair, --fix makes the repair, doctor is content, and nothing was lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.cli.doctor_findings import all_findings, mend
from actors.context.checks import findings
from actors.context.log import reserve
from actors.context.log.data_root import DataRoot
from actors.part import Finding, Level, Repair
from actors.settings.load import load
from actors.settings.secret import Secrets
from domain.log.parser import parse
from domain.log.watermark import Gap, Watermark, line_of, unreadable_lines, watermarks_in
from messages.base import Surface
from tests.actors.backup.roots import CHANNEL, NOW, THREAD, spoken_event, write_log
from tests.ordinary_user import as_ordinary_user

MARK = Watermark(surface=Surface.DISCORD_THREAD, first=1, upto=9, gaps=(Gap(3, 5),))
LOOKED_AT = {
    *("data root", "disk", "reserve", "folders", "permissions of folders", "permissions of logs", "torn logs", "logs"),
    *("sockets", "memory", "reminders", "watermarks"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root in which all is well."""
    path = tmp_path / "data"
    path.mkdir(mode=0o700)
    holder = DataRoot(path)
    holder.hold()
    holder.release()
    write_log(path, CHANNEL, spoken_event(1), spoken_event(2), ended=True)
    write_log(path, CHANNEL, spoken_event(3), started_at=NOW.replace(year=2027))
    write_log(path, THREAD, spoken_event(4))
    (path / "watermarks").write_bytes(b"".join(line_of(number, MARK) for number in (1, 2)))
    return path


def look(root: Path) -> dict[str, Finding]:
    settings = load(environ={}, folder=root.parent, overrides={"data_root": str(root), "shell.enabled": False})
    return {each.name: each for each in all_findings(settings, Secrets.take({})) if each.name in LOOKED_AT}


def troubles(found: dict[str, Finding]) -> dict[str, Finding]:
    return {name: each for name, each in found.items() if each.level is not Level.OK}


def events(root: Path) -> dict[str, list[object]]:
    """All that logs say."""
    logs = sorted((root / "logs").rglob("*.md"))
    modes = {path: path.stat().st_mode for path in logs}
    try:
        for path in logs:
            path.chmod(0o600)
        return {str(path): [each.event for each in parse(path.read_bytes()).events] for path in logs}
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def contents(root: Path) -> dict[str, bytes]:
    """All files below the root, and what each holds, also where its permissions shut it."""
    held = {}
    for path in root.rglob("*"):
        if path.is_file():
            mode = path.stat().st_mode
            path.chmod(mode | 0o400)
            held[str(path)] = path.read_bytes()
            path.chmod(mode)
    return held


def log_of(root: Path, number: int) -> Path:
    """The channel's first log, which is over, its second, or the thread's."""
    return sorted((root / "logs").rglob("*.md"))[number]


def tear(path: Path) -> None:
    mode = path.stat().st_mode
    path.chmod(0o600)
    with path.open("ab") as file:
        file.write(b"## 2026-11-22T14:05:00.000Z agent e7f3k6\n<!-- {} -->\n```text\nThe power went out")
    path.chmod(mode)


def cut_header(path: Path) -> None:
    path.write_bytes(b"# discord-thr")


def leave(*names: str) -> Callable[[Path], None]:
    def write_files(root: Path) -> None:
        for name in names:
            (root / name).parent.mkdir(exist_ok=True, mode=0o700)
            (root / name).write_text("left")

    return write_files


def spoil_index(root: Path) -> None:
    (root / "memory").mkdir(mode=0o700)
    (root / "memory" / "index.sqlite").write_bytes(b"SQLite format 3\0" + b"nonsense" * 2000)


def remove_folders(root: Path) -> None:
    (root / "work").rmdir()


def cut_watermarks(root: Path) -> None:
    """A power loss in the middle of a line, and an altered line."""
    path = root / "watermarks"
    path.write_bytes(path.read_bytes() + line_of(3, MARK).replace(b"upto=9", b"upto=7") + line_of(2, MARK)[:-5])


DAMAGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "the newest log's end is torn": ("torn logs", lambda root: tear(log_of(root, 1))),
    "an ended log's end is torn": ("torn logs", lambda root: tear(log_of(root, 0))),
    "a log is empty": ("torn logs", lambda root: log_of(root, 2).write_bytes(b"")),
    "a log's header is cut": ("torn logs", lambda root: cut_header(log_of(root, 2))),
    "others may write a log": ("permissions of logs", lambda root: log_of(root, 1).chmod(0o666)),
    "an ended log cannot be read": ("permissions of logs", lambda root: log_of(root, 0).chmod(0)),
    "everybody may enter the root": ("permissions of folders", lambda root: root.chmod(0o755)),
    "others may write among the logs": ("permissions of folders", lambda root: log_of(root, 2).parent.chmod(0o777)),
    "a folder is missing": ("folders", remove_folders),
    "a killed agent left its reserve": ("reserve", leave("reserve")),
    "a killed agent left its sockets": ("sockets", leave("agent.sock", "agent.key", ".new", "sockets/a.sock")),
    "a killed agent left half a key": ("sockets", leave(".agent.key.new")),
    "the watermarks are torn": ("watermarks", cut_watermarks),
    "the index is none": ("memory", spoil_index),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_named_with_its_repair_and_mended_and_nothing_is_lost(root: Path, damage: str) -> None:
    assert troubles(look(root)) == {}
    name, act = DAMAGES[damage]
    before = events(root)
    act(root)
    said = {
        path: [] if path == str(log_of(root, 2)) and damage.startswith("a log") else each
        for path, each in before.items()
    }
    harmed = contents(root)
    with as_ordinary_user():
        found = troubles(look(root))
    assert list(found) == [name]
    repair = found[name].repair
    assert repair is not None
    assert repair.text
    assert repair.act is not None
    assert contents(root) == harmed, "a look changes nothing"
    with as_ordinary_user():
        (line,) = mend(root, list(look(root).values()))
        assert line == f"{name}: {repair.text}: done"
        assert {key: each.level for key, each in troubles(look(root)).items() if key != "memory"} == {}
    assert events(root) == said
    for path, data in harmed.items():
        if path.endswith(".md"):
            assert Path(path).read_bytes().startswith(data), "a repair adds to a log and alters nothing of it"


def test_watermarks_that_were_whole_are_the_same_after_a_repair(root: Path) -> None:
    before = watermarks_in((root / "watermarks").read_bytes())
    cut_watermarks(root)
    list(mend(root, list(look(root).values())))
    assert watermarks_in((root / "watermarks").read_bytes()) == before
    assert unreadable_lines((root / "watermarks").read_bytes()) == 0


def test_sealing_leaves_an_ended_log_read_only_and_the_newest_in_use(root: Path) -> None:
    tear(log_of(root, 0))
    tear(log_of(root, 1))
    list(mend(root, list(look(root).values())))
    assert log_of(root, 0).stat().st_mode & 0o777 == 0o444
    assert log_of(root, 1).stat().st_mode & 0o777 == 0o600


def test_an_altered_log_is_nothing_that_can_be_mended_without_a_person(root: Path) -> None:
    path = log_of(root, 2)
    path.write_bytes(altered := path.read_bytes().replace(b"hello", b"HELLO"))
    found = troubles(look(root))
    assert list(found) == ["logs"]
    assert found["logs"].level is Level.FAIL
    repair = found["logs"].repair
    assert repair is not None
    assert repair.act is None
    assert "backup" in repair.text
    assert list(mend(root, list(found.values()))) == []
    assert path.read_bytes() == altered


def test_a_log_that_is_torn_and_altered_is_sealed_and_still_named(root: Path) -> None:
    path = log_of(root, 2)
    path.write_bytes(path.read_bytes().replace(b"hello", b"HELLO"))
    tear(path)
    assert troubles(look(root)).keys() == {"logs", "torn logs"}
    list(mend(root, list(look(root).values())))
    assert troubles(look(root)).keys() == {"logs"}


def test_nothing_is_mended_while_an_agent_uses_the_root(root: Path) -> None:
    tear(log_of(root, 1))
    torn = log_of(root, 1).read_bytes()
    holder = DataRoot(root)
    holder.hold()
    try:
        (line,) = mend(root, list(look(root).values()))
        assert "another agent uses it" in line
        assert "stop it first" in line
        assert log_of(root, 1).read_bytes() == torn
    finally:
        holder.release()


def test_a_missing_reserve_is_made_beside_the_running_agent(root: Path) -> None:
    holder = DataRoot(root)
    holder.hold()
    try:
        assert look(root)["reserve"].level is Level.OK
        assert reserve.spend(root)
        assert look(root)["reserve"].level is Level.WARN
        (line,) = mend(root, list(look(root).values()))
        assert line.endswith("done")
        assert look(root)["reserve"].level is Level.OK
        reserve.spend(root)
        (line,) = mend(root, findings(root, roomy=10**12))
        assert "too little free space" in line
    finally:
        holder.release()


def test_a_restore_that_was_cut_short_is_named(root: Path) -> None:
    (root / ".restoring").mkdir()
    found = look(root)["data root"]
    assert found.level is Level.FAIL
    assert found.repair is not None
    assert "bin/agent restore" in found.repair.text


def test_a_repair_that_fails_is_told_and_keeps_no_other_from_being_made(tmp_path: Path) -> None:
    done = []

    def fail() -> None:
        raise ValueError("no")

    findings = [
        Finding("one", Level.WARN, "x", Repair("mend it", fail)),
        Finding("two", Level.WARN, "x", Repair("ask somebody")),
        Finding("three", Level.WARN, "x", Repair("mend that", lambda: done.append(3))),
    ]
    assert list(mend(tmp_path, findings)) == ["one: not done: no", "three: mend that: done"]
    assert done == [3]


@pytest.mark.parametrize("place", ["logs/odd.md", "logs", "work", "agent.lock"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_is_no_file_or_folder_of_ours_is_named_waited_for_never_and_left_as_it_is(
    root: Path, place: str, kind: str
) -> None:
    there = root / place
    if there.is_dir():
        there.rename(root.parent / place)
    there.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(there, 0o666)
    elif kind == "link":
        there.symlink_to("/nonexistent")
    elif place in {"logs", "work"}:
        there.write_text("a file")
    else:
        there.mkdir(0o777)
    before = there.lstat()
    if place.endswith(".md"):
        next((root / "logs" / "discord-thread").glob("*/*.md")).chmod(0o666)  # is mended all the same
    found = look(root)
    named = [each for each in found.values() if each.level is Level.FAIL]
    assert [place in each.detail and each.repair is not None and each.repair.act is None for each in named] == [True]
    done = list(mend(root, found.values()))
    assert [line for line in done if "permissions" in line and not line.endswith("done")] == []
    assert there.lstat().st_mode == before.st_mode
    assert [each.level for each in troubles(look(root)).values()] == [Level.FAIL]
