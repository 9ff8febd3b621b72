"""Files as people keep them, by public reports and the test vaults of two plug-ins, tried on the reminders' file.

Each file is written anew for its class. A reminder is added, changed, said, found undeliverable and deleted: whatever
the file, no other line changes by a byte.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator
from typing import Literal

import pytest

from domain.edit.encoding import encoding_flaw
from domain.edit.lines import BOM, EditRefusedError
from domain.reminder.document import (
    add_ids,
    append,
    change_lines,
    failed_line,
    hidden_reminders,
    remove,
    replace,
    scan,
)

OURS = '- [ ] date=2030-01-02 time=09:05 recur=none msg="ours" id=rid_OURS'
LATER = '- [ ] date=2031-01-02 time=10:05 recur=daily msg="ours, later" id=rid_OURS'
X = '- [ ] date=2030-01-31 time=09:05 recur=none msg="theirs" id=rid_THEIRS'
FILES = (
    ("uphy/obsidian-reminder: times in brackets", "# Plan\n\n- [ ] call (@2030-01-31 09:05)\n- [x] done (@2029-01-01)\n"),
    ("uphy/obsidian-reminder: dates as links", "- [ ] call (@[[2030-01-31]] 09:05)\n  - [ ] nested ⏰ 2030-01-31\n"),
    ("obsidian-tasks: signs of dates, priority and recurrence", "- [ ] pay ⏫ 🔁 every month 📅 2030-01-31 ✅ 2029-12-31\n"),
    ("obsidian-tasks: statuses of all kinds", "".join(f"- [{sign}] as {sign}\n" for sign in "xX/-?!>*\"pc<Ilbi$")),
    ("obsidian-tasks: bullets of all kinds", "* [ ] star\n+ [ ] plus\n1. [ ] one\n2) [ ] two\n- [ ]no blank\n-  [ ] two\n"),
    ("obsidian-tasks: fields of dataview", "- [ ] pay [due:: 2030-01-31] (scheduled:: 2030-01-01)\n"),
    ("obsidian-tasks: queries", "```tasks\nnot done\ndue before 2030-01-31\n```\n\n~~~dataview\nTASK\n~~~\n"),
    ("obsidian-tasks: block links and ids", "- [ ] pay 🆔 abc ⛔ def ^block-1\n\n![[Other#Heading]]\n[[Note|shown]]\n"),
    ("obsidian-tasks: nested with tabs and blanks", "- [ ] a\n\t- [ ] b\n\t\t- [ ] c\n    - [ ] d\n   text\n\n- e\n"),
    ("obsidian-tasks: comments and properties", "---\naliases: []\ntags:\n  - a\n---\n%% note %%\n\n%%\nhidden\n%%\n<!-- x -->\n"),
    ("obsidian-tasks#656: tasks in callouts", f"> [!todo]- Title\n> - [ ] a\n> {X}\n>> [!note]\n>> {X}\n"),
    ("obsidian-tasks#563: tasks in admonitions", f"```ad-info\ntitle: Todo\n{X}\n```\n"),
    ("obsidian-tasks#3780: tags of HTML", "<div>\n- [ ] a\n</div>\n\n<details>\n<summary>s</summary>\n\n- [ ] b\n</details>\n"),
    ("usememos/memos#5321: an indented block with its own fence", f"  ```\n  {X}\n{X}\n  ```\n~~~\n```\n{X}\n~~~\n"),
    ("go-gitea/gitea#25184: front matter before tasks", f"---\nfoo: bar\n{X}\n---\n- [ ] task\n"),
    ("department-of-veterans-affairs/va.gov-team#93562: tasks in comments", f"<!-- ### Verify\n{X}\n-->\n\n- [ ] 1\n"),
    ("binaricat/Netcatty#2869: a comment before a task", f"<!--\n{X}\n--><!-- {X} -->\n- [ ] seen\n"),
    ("block/coplan#138: equal tasks in code and text", f"````md\n```\n{X}\n```\n````\n- [ ] Deploy\n- [ ] Deploy to staging\n"),
    ("arthurzengg/opencui#587: prices and math", f"costs $1 or $$2\n\n$$\n{X}\n$$\n\n$$a$$ and $b$\n"),
    ("jgravelle/jdocmunch-mcp#53: headings of both kinds", "First\n=====\n\nSecond\n------\n\n# Third #\n"),
    ("a table and a ruled line", "| a | b |\n|---|:-:|\n| - [ ] x | `|` |\n\n***\n___\n- - -\n"),
    ("footnotes and references", "a[^1] [b]\n\n[^1]: note\n    - [ ] in it\n[b]: https://example.com 'x'\n"),
    ("blanks at the ends of lines", "- [ ] a  \n\t\n   \n- [ ] b\t\n\\\n"),
    ("names in letters with accents", "# Café Zoë\n\n- [ ] ask René, Ångström and 한국\n"),
    ("characters that end lines elsewhere", "a\u2028- [ ] b\x0c- [ ] c\x85- [ ] d\x1c\n"),
)  # fmt: skip
FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
ENDS = {"line feeds": "\n", "both": "\r\n", "carriage returns": "\r"}


def versions(text: str) -> Iterator[tuple[str, bytes]]:
    """The file as programs keep it: other line ends, a mark or none, letters composed or not, no last line end."""
    for end, mark, form, is_ended in itertools.product(ENDS, (b"", BOM), FORMS, (True, False)):
        words = unicodedata.normalize(form, text if is_ended else text.rstrip("\n"))
        name = f"{end}, {form}{', marked' if mark else ''}{'' if is_ended else ', no last end'}"
        yield name, mark + words.replace("\n", ENDS[end]).encode()
    lines = text.split("\n")
    yield "mixed ends", "".join(line + ("\n", "\r\n")[n % 2] for n, line in enumerate(lines[:-1])).encode()


def others(data: bytes) -> list[bytes]:
    """Lines of the file but ours, with their carriage returns; a last line end makes no line."""
    end = b"\n" if b"\n" in data else b"\r"
    lines = [line for line in data.split(end) if b"rid_OURS" not in line]
    return lines[:-1] if lines and not lines[-1] else lines


def harm(data: bytes) -> str:
    """The first edit that changes a line of others; empty without one."""
    if add_ids(data) != data:
        return "ids"
    longer = append(data, OURS)
    entry = next((entry for entry in scan(longer).entries if entry.reminder.id == "rid_OURS"), None)
    if entry is None:
        return "the line that was added is none"
    changed = replace(longer, entry.number, LATER.encode())
    failed = change_lines(longer, {entry.raw: (failed_line(entry.raw),)})
    said, deleted = change_lines(longer, {entry.raw: (None,)}), remove(changed, entry.number)
    kept = [line.rstrip(b"\r") for line in others(data)]
    for name, edited in (
        ("added", longer),
        ("changed", changed),
        ("failed", failed),
        ("said", said),
        ("deleted", deleted),
    ):
        if [line.rstrip(b"\r") for line in others(edited)] != kept:
            return name
        if edited.count(b"\r\n") < data.count(b"\r\n") or edited.startswith(BOM) != data.startswith(BOM):
            return f"{name}: ends or mark"
    return "" if said.rstrip(b"\r\n") == deleted.rstrip(b"\r\n") == data.rstrip(b"\r\n") else "bytes"


@pytest.mark.req("X-206")
def test_no_line_of_peoples_files_changes_by_a_byte() -> None:
    failures = []
    for name, text in FILES:
        for form, data in versions(text):
            try:
                if (edit := harm(data)) or encoding_flaw(data) or scan(data).entries:
                    failures.append(f"{name} ({form}): {edit}")
            except EditRefusedError as error:
                failures.append(f"{name} ({form}): {error}")
    assert not failures


@pytest.mark.req("X-206")
def test_reminders_that_do_not_count_are_listed() -> None:
    silent = [name for name, text in FILES if f"\n{X}" in text and not hidden_reminders(text.encode())]
    assert silent == []


@pytest.mark.req("X-206")
def test_files_in_other_encodings_are_named_before_a_byte_is_written() -> None:
    failures = []
    for name, text, encoding in (
        ("MacDown/macdown#523: UTF-16 with a mark", X, "utf-16"),
        ("the same without a mark", X, "utf-16-le"),
        ("the same from the other end", X, "utf-16-be"),
        ("UTF-32", X, "utf-32"),
        ("UTF-32 without a mark", X, "utf-32-be"),
        ("Notepad's ANSI", f"# Zoë\n{X}", "cp1252"),
        ("Latin-1", f"{X}\n# Zoë", "latin-1"),
        ("Japanese of Windows", f"# 日本語\n{X}", "cp932"),
        ("Chinese", f"# 中文\n{X}", "gb18030"),
        ("Korean", f"# 한국\n{X}", "euc-kr"),
        ("Russian", f"# привет\n{X}", "koi8-r"),
        ("UTF-16 of words without any Latin letter", "日本語の文章です。" * 9, "utf-16-le"),
    ):
        if not encoding_flaw(text.encode(encoding)).endswith(
            "save it in UTF-8: until then the agent does not write to it"
        ):
            failures.append(name)
    for name, data in (("a NUL byte", X.encode() + b"\0"), ("half a character", X.encode() + "é".encode()[:1])):
        if not encoding_flaw(data):
            failures.append(name)
    assert not failures
