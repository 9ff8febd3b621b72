"""`agent reminders` on files of all kinds, without a running agent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actors.edited_file.file import LIMIT_BYTES
from tests.actors.cli.command import digest, run
from tests.trusted import write_settings

FILE = """# Mine
- [ ] date=2026-03-27 time=01:30 recur=none msg="once" id=rid_NONE
- [ ] date=2026-03-20 time=01:30 recur=daily msg="say \\"hi\\"" id=rid_DAILY
- [ ] date=2026-03-22 time=01:30 recur=weekly msg="weekly"
- [ ] date=2026-01-31 time=01:30 recur=monthly msg="monthly" id=rid_MONTHLY
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.md"
    path.write_text(FILE)
    return path


def upcoming(file: Path, *arguments: str) -> list[dict[str, str]]:
    done = run("agent", "reminders", "next", "--file", str(file), *arguments, "--json", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def test_next_prints_every_firing_through_the_spring_change_and_changes_nothing(file: Path) -> None:
    before = digest(file.parent)
    found = upcoming(file, "--from", "2026-03-27T00:00Z", "--to", "2026-03-31T23:59Z")
    assert [(row["id"], row["due_utc"], row["local"]) for row in found] == [
        ("rid_NONE", "2026-03-27T01:30Z", "2026-03-27T01:30+00:00"),
        ("rid_DAILY", "2026-03-27T01:30Z", "2026-03-27T01:30+00:00"),
        ("rid_DAILY", "2026-03-28T01:30Z", "2026-03-28T01:30+00:00"),
        ("rid_DAILY", "2026-03-29T01:00Z", "2026-03-29T02:00+01:00"),
        ("", "2026-03-29T01:00Z", "2026-03-29T02:00+01:00"),
        ("rid_DAILY", "2026-03-30T00:30Z", "2026-03-30T01:30+01:00"),
        ("rid_DAILY", "2026-03-31T00:30Z", "2026-03-31T01:30+01:00"),
        ("rid_MONTHLY", "2026-03-31T00:30Z", "2026-03-31T01:30+01:00"),
    ]
    assert found[1]["msg"] == 'say "hi"'
    assert digest(file.parent) == before


def test_next_prints_an_ambiguous_minute_once(file: Path) -> None:
    found = upcoming(file, "--from", "2026-10-24T00:00Z", "--to", "2026-10-26T12:00Z")
    assert [row["due_utc"] for row in found if row["id"] == "rid_DAILY"] == [
        "2026-10-24T00:30Z",
        "2026-10-25T00:30Z",
        "2026-10-26T01:30Z",
    ]


def test_both_ends_of_the_interval_belong_to_it(file: Path) -> None:
    found = upcoming(file, "--from", "2026-03-20T01:30Z", "--to", "2026-03-21T01:30Z")
    assert [row["due_utc"] for row in found] == ["2026-03-20T01:30Z", "2026-03-21T01:30Z"]


@pytest.mark.parametrize("host", ["Asia/Tokyo", "America/New_York"])
def test_the_hosts_zone_changes_nothing(file: Path, host: str) -> None:
    arguments = ("reminders", "next", "--file", str(file), "--from", "2026-03-29", "--to", "2026-03-30")
    done = run("agent", *arguments, cwd=file.parent, environment={"TZ": host})
    assert "Sun 2026-03-29 02:00 BST  2026-03-29T01:00Z  rid_DAILY" in done.stdout


def test_check_names_each_invalid_line_and_why(file: Path) -> None:
    good = run("agent", "reminders", "check", "--file", str(file), cwd=file.parent)
    assert (good.returncode, good.stdout.split(";")[0]) == (0, "4 reminders, 0 invalid lines")
    file.write_text(FILE + '- [ ] date=2026-02-30 time=09:00 recur=none msg="x"\n- [x] done\x1b[31m\n')
    bad = run("agent", "reminders", "check", "--file", str(file), cwd=file.parent)
    assert bad.returncode == 1
    assert f"{file}:6: date '2026-02-30': the calendar has no such day" in bad.stderr
    assert f"{file}:7: is ticked" in bad.stderr
    assert "\x1b" not in bad.stderr
    document = json.loads(run("agent", "reminders", "check", "--file", str(file), "--json", cwd=file.parent).stdout)
    assert (document["reminders"], [row["number"] for row in document["invalid"]]) == (4, [6, 7])


def test_list_is_soonest_first(file: Path) -> None:
    done = run("agent", "reminders", "list", "--file", str(file), cwd=file.parent)
    assert done.stdout.splitlines()[0].split()[-1] == "once"
    rows = json.loads(run("agent", "reminders", "list", "--file", str(file), "--json", cwd=file.parent).stdout)
    assert {row["id"] for row in rows} == {"rid_NONE", "rid_DAILY", "", "rid_MONTHLY"}
    assert [row["line"] for row in rows if row["id"] == "rid_NONE"] == [FILE.splitlines()[1]]


@pytest.mark.req("S0-107", "S0-153")
def test_the_configured_file_is_read_and_may_be_missing(tmp_path: Path) -> None:
    write_settings(tmp_path, '[reminders]\nfile = "mine.md"\n')
    missing = run("agent", "reminders", "list", cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (0, "")
    assert "mine.md is not there yet" in missing.stderr
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.md").write_text(FILE)
    assert "rid_DAILY" in run("agent", "reminders", "list", cwd=tmp_path).stdout


def test_what_cannot_be_done_is_said(subtests: pytest.Subtests, file: Path) -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("list", "--file", "nowhere.md"), "nowhere.md: no such file"),
        (("next", "--file", "r.md", "--from", "soon"), "--from soon: must be ISO 8601"),
        (("next", "--file", "r.md", "--from", "2026-02-01", "--to", "2026-01-01"), "must not be before --from"),
        (("check", "--file", "."), "is a folder, not a regular file"),
    ]
    for arguments, why in cases:
        with subtests.test(arguments=arguments, why=why):
            done = run("agent", "reminders", *arguments, cwd=file.parent)
            assert done.returncode != 0
            assert why in done.stderr


def test_ten_thousand_lines_are_looked_at_quickly(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_text(
        "".join(
            f"- [ ] date=20{26 + i % 3}-01-{1 + i % 28:02} time={i % 24:02}:{i % 60:02} "
            f'recur={("daily", "weekly", "monthly")[i % 3]} msg="reminder number {i}" id=rid_{i}\n'
            for i in range(10_000)
        )
    )
    done = run("agent", "reminders", "check", "--file", str(path), "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["reminders"] == 10_000
    assert document["look_ms"] < 500, "50 ms on an idle machine; the bound here is for a busy one"


def test_list_and_check_show_where_a_reminder_is_said_and_that_it_could_not_be(file: Path) -> None:
    where = "discord-thread/910000000000000077"
    file.write_text(
        f'- [ ] date=2099-03-27 time=01:30 recur=none msg="a" id=rid_A in={where}\n'
        f'- [!] date=2026-03-27 time=01:30 recur=daily msg="b" id=rid_B in={where}\n'
    )
    done = run("agent", "reminders", "list", "--file", str(file), "--json", cwd=file.parent)
    rows = {row["id"]: (row["in"], row["failed"], row["next_utc"]) for row in json.loads(done.stdout)}
    assert rows == {"rid_A": (where, False, "2099-03-27T01:30Z"), "rid_B": (where, True, None)}
    plain = run("agent", "reminders", "list", "--file", str(file), cwd=file.parent).stdout
    assert f"(in {where})" in plain
    assert "could not be said" in plain
    check = run("agent", "reminders", "check", "--file", str(file), cwd=file.parent)
    assert check.returncode == 1
    assert f"{file}:2: could not be said in its conversation" in check.stderr
    assert upcoming(file, "--from", "2026-03-27T00:00Z", "--to", "2026-03-30T00:00Z") == []


def test_of_a_huge_file_the_beginning_is_shown_and_that_it_is_only_that(file: Path) -> None:
    file.write_text(FILE + "x\n" * LIMIT_BYTES)
    done = run("agent", "reminders", "list", "--file", str(file), cwd=file.parent)
    assert (done.returncode, "rid_MONTHLY" in done.stdout) == (0, True)
    assert "only its first 8 MiB are read" in done.stderr


@pytest.mark.req("X-206")
@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_named_and_never_taken_for_an_empty_one(file: Path, name: str) -> None:
    file.write_bytes(FILE.encode(name))
    before = digest(file.parent)
    for command in ("check", "list", "next"):
        done = run("agent", "reminders", command, "--file", str(file), cwd=file.parent)
        assert done.returncode == 1
        assert f"{file}: is in UTF-16 or UTF-32, and only UTF-8 is read" in done.stderr
    assert digest(file.parent) == before


def test_of_a_file_with_bytes_that_are_not_utf_8_check_names_the_line_and_list_shows_the_others(file: Path) -> None:
    file.write_bytes(FILE.encode() + b"caf\xe9\n")
    check = run("agent", "reminders", "check", "--file", str(file), "--json", cwd=file.parent)
    assert check.returncode == 1
    assert json.loads(check.stdout)["encoding"].startswith("is not in UTF-8: byte 0xe9 in line 6")
    shown = run("agent", "reminders", "list", "--file", str(file), cwd=file.parent)
    assert (shown.returncode, "rid_DAILY" in shown.stdout) == (0, True)
    assert "byte 0xe9 in line 6" in shown.stderr


@pytest.mark.req("X-206")
def test_a_reminder_in_a_code_block_is_noted_and_no_error(file: Path) -> None:
    example = FILE.splitlines()[1]
    file.write_text(f"{FILE}```\n{example}\n```\n<!--\n{example}\n- [ ] milk\n")
    done = run("agent", "reminders", "check", "--file", str(file), cwd=file.parent)
    assert done.returncode == 0
    assert f"note: {file}:7: stands in a code block that begins in line 6, so it is not a reminder" in done.stderr
    assert f"note: {file}:10: stands in a comment that begins in line 9, which nothing closes" in done.stderr
    assert "milk" not in done.stderr
    assert done.stdout.startswith("4 reminders, 0 invalid lines")
