from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.memory import (
    DescribeMemory,
    ExplainMemory,
    FoundMemory,
    MemoriesFound,
    MemoryDescribed,
    MemoryExplained,
    SearchMemory,
)
from messages.scheduler import (
    DeleteReminder,
    InvalidLine,
    ListedReminder,
    ListReminders,
    ReminderDeleted,
    RemindersListed,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.discord.commands.caller import ALL, Caller, fields
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL
from tests.patience import eventually

AT = datetime(2026, 11, 22, 14, 3, tzinfo=UTC)
SECRET = "sk-0123456789abcdef"


@pytest.fixture
def you(start_life: StartLife) -> Caller:
    return Caller(start_life(menu=ALL, secrets=[SECRET]))


def memory(excerpt: str = "tea is at five", *, pinned: bool = False) -> FoundMemory:
    return FoundMemory(
        path="logs/x",
        line=7,
        at=AT,
        role="user",
        author="Ann",
        window=GENERAL.address.key,
        pinned=pinned,
        excerpt=excerpt,
        truncated=False,
        score=0.75,
        similarity=0.9,
        recency=0.5,
        repetition=0.25,
    )


def reminder(number: int, msg: str = "water the plants", **more: object) -> ListedReminder:
    due = AT + timedelta(hours=number)
    values = {"recur": "none", "next_due": due, "next_local": "", "is_addressable": True} | more
    return ListedReminder(id=f"r{number}", line=f"line {number}", msg=msg, **values)  # type: ignore[arg-type]


# memory


@pytest.mark.req("X-138")
def test_a_search_is_the_windows_and_shows_who_said_what_where_and_when(you: Caller) -> None:
    outcome = you.call("memory search", query="tea")
    asked = you.asked(SearchMemory)
    assert fields(asked) == {"window": GENERAL, "query": "tea", "limit": 10, "about": ""}
    found = (memory(pinned=True), memory("two\nlines _here_"))
    you.reply(MemoriesFound(request_id=asked.request_id, memories=found, note="without vectors"))
    stamp = int(AT.timestamp())
    assert you.said(outcome).splitlines() == [
        f"1. <t:{stamp}:d> Ann in <#{GENERAL.id}>, pinned: tea is at five",
        rf"2. <t:{stamp}:d> Ann in <#{GENERAL.id}>: two lines \_here\_",
        "-# without vectors",
    ]
    assert outcome.ephemeral


def test_nothing_found_is_said(you: Caller) -> None:
    outcome = you.call("memory search", query="tea")
    you.reply(MemoriesFound(request_id=you.asked(SearchMemory).request_id, memories=()))
    assert you.said(outcome) == "Nothing was found."


def test_no_secret_and_nothing_hidden_is_shown_whatever_markdown_would_make_of_it(start_life: StartLife) -> None:
    secret = "tok_en*with_marks_0123456789"
    you = Caller(start_life(menu=ALL, secrets=[secret]))
    outcome = you.call("memory search", query="tea")
    found = memory(f"it is {secret} \u202eabc")
    you.reply(MemoriesFound(request_id=you.asked(SearchMemory).request_id, memories=(found,)))
    said = you.said(outcome)
    assert secret not in said.replace("\\", "")
    assert "\u202e" not in said


def test_why_lists_what_was_given_and_what_was_not(you: Caller) -> None:
    outcome = you.call("memory why")
    asked = you.asked(ExplainMemory)
    assert fields(asked) == {"window": GENERAL, "about": ""}
    told = MemoryExplained(
        request_id=asked.request_id,
        window=GENERAL.address.key,
        turn_id="t",
        at=AT,
        search="hybrid",
        note="",
        candidates=24,
        budget_tokens=1000,
        block_tokens=400,
        took_ms=12.4,
        injected=(memory(),),
        rejected=(msgspec.structs.replace(memory(), meaning=0.4, words=0.125),),
    )
    you.reply(told)
    lines = you.said(outcome).splitlines()
    assert lines[0].endswith("1 memories, 400 of at most 1000 tokens; hybrid search, 24 ranked, 12 ms.")
    assert lines[1] == "**Given**"
    assert lines[3] == "-# 0.750: similarity 0.90, recency 0.50, repetition 0.25"
    assert lines[4] == "**Not given, best first**"
    assert lines[6] == "-# 0.750: similarity 0.90 (meaning 0.40, words 0.12), recency 0.50, repetition 0.25"


def test_stats_counts(you: Caller) -> None:
    outcome = you.call("memory stats")
    told = MemoryDescribed(
        request_id=you.asked(DescribeMemory).request_id,
        rows=1234,
        ok=1200,
        pending=30,
        failed=4,
        pins=2,
        windows=5,
        vectors=1200,
        space="minilm",
        dimensions=384,
        index_bytes=2_500_000,
        reconciled_at=None,
        damaged_logs=0,
        state="ready",
    )
    you.reply(told)
    said = you.said(outcome)
    assert "1,234 turns of 5 windows, 2 of them pinned." in said
    assert "2.5 MB" in said
    assert "Compared with the logs: not yet" in said


def test_what_is_too_long_ends_at_a_line_and_is_attached_whole(you: Caller) -> None:
    outcome = you.call("memory search", query="tea")
    found = tuple(memory("word " * 30) for _ in range(40))
    you.reply(MemoriesFound(request_id=you.asked(SearchMemory).request_id, memories=found))
    message = you.answer(outcome)
    *lines, note = message["content"].splitlines()
    assert len(message["content"]) <= 2000
    assert all(line.endswith("word") for line in lines)
    assert note == "-# The rest is in the attached file."
    assert [file["filename"] for file in message["attachments"]] == ["answer.md"]
    assert message["attachments"][0]["size"] > 40 * 150


# reminders


def test_reminders_are_listed_with_everybodys_own_clock_and_a_button_each(you: Caller) -> None:
    outcome = you.call("reminders")
    asked = you.asked(ListReminders)
    assert fields(asked) == {"window": GENERAL, "limit": 25}
    listed = RemindersListed(
        request_id=asked.request_id,
        reminders=(
            reminder(1, recur="daily"),
            reminder(2, "now!", next_due=None),
            reminder(3, "twice", is_addressable=False),
        ),
        left_out=4,
        invalid=(InvalidLine(number=9, line="?", reason="no date"),),
    )
    you.reply(listed)
    due = int((AT + timedelta(hours=1)).timestamp())
    lines = you.said(outcome).splitlines()
    assert lines[0] == f"1. <t:{due}:F> (<t:{due}:R>), daily: water the plants"
    assert lines[1] == "2. now: now!"
    assert lines[3:] == [
        "-# 4 later reminders are not shown.",
        "-# Invalid lines of the file: 1.",
    ]
    assert you.buttons(outcome) == {"unremind:r1": "Delete 1: water the plants", "unremind:r2": "Delete 2: now!"}
    assert outcome.ephemeral


def test_no_reminders_and_none_that_can_be_read_are_said(you: Caller) -> None:
    outcome = you.call("reminders")
    asked = you.asked(ListReminders)
    you.reply(RemindersListed(request_id=asked.request_id, reminders=(), left_out=0, invalid=()))
    assert you.said(outcome) == "There are no reminders."
    outcome = you.call("reminders")
    you.reply(Refused(request_id=you.asked(ListReminders, 2).request_id, reason="the file cannot be read"))
    assert you.said(outcome) == "Not done: the file cannot be read."


def test_a_button_deletes_its_reminder_and_tells_only_who_pressed_it(you: Caller) -> None:
    listing = you.call("reminders")
    asked = you.asked(ListReminders)
    many = tuple(reminder(number) for number in range(25))
    you.reply(RemindersListed(request_id=asked.request_id, reminders=many, left_out=0, invalid=()))
    assert len(you.buttons(listing)) == 25
    message_id = you.answer(listing)["id"]

    pressed = you.press(message_id, "unremind:r3")
    wanted = you.asked(DeleteReminder)
    assert fields(wanted) == {"window": GENERAL, "id": "r3"}
    you.reply(ReminderDeleted(request_id=wanted.request_id, id="r3", line="line 3"))
    assert you.said(pressed) == "Deleted:\n> line 3"
    assert pressed.ephemeral

    again = you.press(message_id, "unremind:r3")
    you.reply(Refused(request_id=you.asked(DeleteReminder, 2).request_id, reason="id 'r3': no such reminder"))
    assert you.said(again) == "Not deleted: id 'r3': no such reminder."


def test_an_id_that_is_too_long_for_a_button_gets_none(you: Caller) -> None:
    outcome = you.call("reminders")
    asked = you.asked(ListReminders)
    long = ListedReminder(id="x" * 95, line="", msg="m", recur="none", next_due=AT, next_local="")
    you.reply(RemindersListed(request_id=asked.request_id, reminders=(long, reminder(2)), left_out=0, invalid=()))
    assert list(you.buttons(outcome)) == ["unremind:r2"]


# status, help, viewers


def test_status_gathers_what_each_actor_says_and_names_who_says_nothing(you: Caller) -> None:
    outcome = you.call("status")
    eventually(lambda: len([m for m in you.life.told.now() if isinstance(m, DescribeYourself)]) == 2)
    asked = [m for m in you.life.told.now() if isinstance(m, DescribeYourself)]
    first = next(m for m in asked if m.request_id.endswith(".0"))
    you.reply(
        SelfDescription(
            request_id=first.request_id,
            about="memory",
            figures=(("pending_rows", 3), ("ok", "yes")),
            operator_figures=(("next_1", "Wed 2026-04-01 09:00 BST rid_AAAAAAAAAAAA"), ("turns", 7)),
        )
    )
    assert you.said(outcome).splitlines() == [
        "I am Remembrancer, online in 1 server.",
        "**memory**: pending rows 3, ok yes",
        "**scheduler**: does not answer",
    ]
    assert outcome.ephemeral


def test_help_names_every_command_that_there_is(you: Caller) -> None:
    outcome = you.call("help")
    said = you.said(outcome)
    commands = (
        "new stop usage model remember unremember reminders skill status help memory,search memory,why memory,stats"
    )
    assert [name for name in commands.split() if f"`/{name.replace(',', ' ')}`" not in said] == []
    assert "Apps, Remember" in said


def test_viewers_get_what_shows_nothing_that_they_may_not_see(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    role = playground.add_role("viewers", defaults.GUEST_ID)
    life = start_life(
        menu=ALL,
        allowed_users=frozenset({str(defaults.YOU_ID)}),
        viewer_roles=frozenset({str(role)}),
    )
    viewer = Caller(life, user=defaults.GUEST_ID)
    said = life.say("hello")
    refused = [
        viewer.call("new"),
        viewer.call("stop"),
        viewer.call("model", name="strong"),
        viewer.call("remember", what="tea"),
        viewer.call("unremember"),
        viewer.menu("Remember", said),
        viewer.call("memory why"),
        viewer.call("memory stats"),
        viewer.call("reminders"),
        viewer.call("skill", name="tea"),
    ]
    assert [each for each in refused if "Viewers cannot use this" not in viewer.said(each)] == []
    shown = viewer.said(viewer.call("help"))
    assert [name for name in ("help", "status", "usage", "memory search") if f"`/{name}`" not in shown] == []
    assert "/new" not in shown
    assert viewer.complete("model", "name", "") == []
    viewer.call("memory search", query="tea")
    viewer.asked(SearchMemory)
    viewer.call("status")
    viewer.asked(DescribeYourself, 2)
