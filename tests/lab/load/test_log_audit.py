from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.context.log.file import WindowLog
from domain.log.event import Event, Kind, event
from lab.load.log_audit import LogAudit, audit_logs
from lab.load.tally import LoadThread
from lab.load.wording import answer, question, secret_of
from lab.loopback_model.answers import Received
from messages.base import Surface, Window

NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
ALICE, BOB = 910000000000000101, 910000000000000102
SECRETS = {ALICE: secret_of("s", 1), BOB: secret_of("s", 2)}


@pytest.fixture
def threads() -> dict[int, LoadThread]:
    """Each has said two things."""
    return {channel_id: LoadThread(secret, turns=2) for channel_id, secret in SECRETS.items()}


def turn_of(number: int, text: str) -> tuple[Event, Event, Event]:
    """A message, its answer and the answer's delivery, with `number` in their ids."""
    body = {"messages": [{"role": "user", "content": text}]}
    answer_text = answer(Received("/", {}, body, text.encode())).text
    return (
        event(f"u{number}", NOON, Kind.USER, text),
        event(f"a{number}", NOON, Kind.AGENT, answer_text, {"final": True, "turn": f"u{number}"}),
        event(f"d{number}", NOON, Kind.DELIVERY, "", {"event": f"a{number}", "message_ids": ["1"]}),
    )


def write(root: Path, channel_id: int, *texts: str) -> Path:
    """A log in which people said `texts`, each answered as the model does, and the answer delivered."""
    return write_events(root, channel_id, [each for number, text in enumerate(texts) for each in turn_of(number, text)])


def write_events(root: Path, channel_id: int, events: Sequence[Event]) -> Path:
    """A log of these."""
    window = Window(surface=Surface.DISCORD_THREAD, id=str(channel_id))
    log = WindowLog.create(root, window, NOON, "you")
    log.append(*events)
    log.sync()
    log.close()
    return log.path


def test_logs_that_hold_exactly_what_was_said_are_as_they_should_be(
    tmp_path: Path, threads: dict[int, LoadThread]
) -> None:
    for channel_id, secret in SECRETS.items():
        write(tmp_path, channel_id, question(secret, 1), question(secret, 2))

    audit = audit_logs(tmp_path, threads)

    assert (audit.logs, audit.broken, audit.missing, audit.doubled, audit.cross_talk) == (2, [], set(), 0, 0)


def test_a_message_or_a_whole_log_that_is_not_there_is_missing(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    write(tmp_path, ALICE, question(SECRETS[ALICE], 2))

    assert audit_logs(tmp_path, threads).missing == {(ALICE, 1), (BOB, 1), (BOB, 2)}


def test_without_any_log_everything_is_missing(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    assert len(audit_logs(tmp_path, threads).missing) == 4


def test_a_message_that_was_logged_twice_is_doubled(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    secret = SECRETS[ALICE]
    write(tmp_path, ALICE, question(secret, 1), question(secret, 2), question(secret, 2))

    assert audit_logs(tmp_path, threads).doubled == 3, "the message, its answer and its delivery"


def test_a_message_in_the_log_of_another_window_is_cross_talk(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    write(tmp_path, ALICE, question(SECRETS[ALICE], 1), question(SECRETS[BOB], 1))
    write(tmp_path, 910000000000000999, question(SECRETS[BOB], 2))

    assert audit_logs(tmp_path, threads).cross_talk == 4, "two messages and their answers"


def test_a_message_that_nobody_sent_is_named(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    write(tmp_path, ALICE, question(SECRETS[ALICE], 1), "made up")

    reason, *_ = audit_logs(tmp_path, threads).broken
    assert "did not send" in reason
    assert "made up" in reason


def test_a_log_that_was_changed_is_named_with_its_line(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    path = write(tmp_path, ALICE, question(SECRETS[ALICE], 1), question(SECRETS[ALICE], 2))
    os.chmod(path, 0o600)  # noqa: PTH101
    path.write_bytes(path.read_bytes().replace(b"turn 1", b"turn 7", 1))

    assert audit_logs(tmp_path, threads).broken[0].startswith(f"{path}:")


def test_logs_that_were_there_before_are_nobodys_affair(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    for channel_id, secret in SECRETS.items():
        write(tmp_path, channel_id, question(secret, 1), question(secret, 2))
    write(tmp_path, 500000000000000000, "What about the harbour?")

    assert len(audit_logs(tmp_path, threads).broken) == 3, "the message, its answer and its delivery"
    assert audit_logs(tmp_path, threads, range(500000000000000000, 500000000000000001)).broken == []


def test_a_turn_with_a_command_is_logged_in_its_own_words(tmp_path: Path, threads: dict[int, LoadThread]) -> None:
    threads[ALICE].commands.add(2)
    for channel_id, secret in SECRETS.items():
        write(tmp_path, channel_id, question(secret, 1), question(secret, 2, has_command=channel_id == ALICE))

    audit = audit_logs(tmp_path, threads)

    assert (audit.missing, audit.broken) == (set(), [])


def only(tmp_path: Path, events: Sequence[Event]) -> LogAudit:
    """Audit of the log of one thread with two messages."""
    write_events(tmp_path, ALICE, events)
    return audit_logs(tmp_path, {ALICE: LoadThread(SECRETS[ALICE], turns=2)})


def two_turns() -> list[Event]:
    return [each for turn in (1, 2) for each in turn_of(turn, question(SECRETS[ALICE], turn))]


def test_a_message_an_answer_or_a_delivery_that_is_not_logged_is_missing(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases: list[int] = [3, 4, 5]
    for place in cases:
        with subtests.test(place=place):
            folder = Path(tempfile.mkdtemp(dir=tmp_path))
            events = two_turns()
            del events[place]

            assert only(folder, events).missing == {(ALICE, 2)}


def test_a_message_an_answer_or_a_delivery_that_is_logged_again_is_doubled(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases: list[int] = [0, 1, 2]
    for place in cases:
        with subtests.test(place=place):
            folder = Path(tempfile.mkdtemp(dir=tmp_path))
            events = two_turns()
            again = events[place]
            audit = only(folder, [*events, event(f"{again.id}-2", NOON, again.kind, again.content, again.meta_dict())])

            assert (audit.missing, audit.doubled, audit.broken, audit.disordered) == (set(), 1, [], 0)


def test_messages_answers_and_deliveries_are_logged_in_the_order_of_the_turns(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases: list[Kind] = [Kind.USER, Kind.AGENT, Kind.DELIVERY]
    for kind in cases:
        with subtests.test(kind=kind):
            folder = Path(tempfile.mkdtemp(dir=tmp_path))
            by_kind = {
                each: [one for one in two_turns() if one.kind is each]
                for each in (Kind.USER, Kind.AGENT, Kind.DELIVERY)
            }
            by_kind[kind].reverse()

            audit = only(folder, [one for ones in by_kind.values() for one in ones])

            assert (audit.disordered, audit.missing, audit.broken) == (1, set(), [])


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (1, lambda events: event("a1", NOON, Kind.AGENT, "nonsense", events[1].meta_dict())),
        (1, lambda events: event("a1", NOON, Kind.AGENT, events[1].content[:-5], events[1].meta_dict())),
        (1, lambda events: event("a1", NOON, Kind.AGENT, events[1].content, {"final": True, "turn": "u2"})),
        (1, lambda events: event("a1", NOON, Kind.AGENT, events[4].content, events[1].meta_dict())),
        (2, lambda events: event("d9", NOON, Kind.DELIVERY, "", {"event": "a9", "message_ids": ["1"]})),
        (2, lambda events: event("d9", NOON, Kind.DELIVERY, "", {"event": "a1", "gave_up": True})),
    ],
)
def test_an_answer_in_other_words_and_a_delivery_of_nothing_are_named_and_what_they_should_be_is_missing(
    tmp_path: Path, place: int, change: Callable[[list[Event]], Event]
) -> None:
    events = two_turns()
    events[place] = change(events)
    audit = only(tmp_path, events)

    assert audit.missing == {(ALICE, 1)}
    assert ("a delivery without an answer", "an answer without a message")[place == 1] in audit.broken[0]


def test_an_event_of_any_kind_with_another_threads_secret_is_cross_talk(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for kind in list(Kind):
        with subtests.test(kind=kind):
            folder = Path(tempfile.mkdtemp(dir=tmp_path))
            audit = only(folder, [*two_turns(), event("x", NOON, kind, f"something of {SECRETS[BOB]}")])

            assert (audit.cross_talk, audit.broken, audit.missing) == (1, [], set())


def test_what_the_model_says_before_a_command_is_no_answer(tmp_path: Path) -> None:
    events = two_turns()
    call = event("c1", NOON, Kind.AGENT, "", {"final": False, "turn": "u1"})

    assert only(tmp_path, [events[0], call, *events[1:]]) == LogAudit(logs=1)
