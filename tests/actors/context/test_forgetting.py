from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.context.forgetting import ASK_AGAIN
from actors.context.log.recovery import survey
from actors.forget.window_files import WindowFilesActor
from actors.kernel import ActorSpec
from domain.log.event import Kind
from domain.log.kept import FORGOTTEN_WORDS
from domain.log.parser import parse
from domain.log.view import list_taken_out
from domain.log.window_folders import attachments_folder, output_folder
from messages.base import Address, EventId, MessageId, RequestId, TurnId, UserId
from messages.context import (
    Attachment,
    FileKind,
    KeptMessagesTold,
    PinMemory,
    Quote,
    RetractMessages,
    RuntimePosted,
    StartNewWindow,
    TellKeptMessages,
)
from messages.discord import Delivered, PostMessage
from messages.forget import (
    WINDOW_FILES,
    EndShown,
    EventsForgotten,
    ForgetEvents,
    ForgettableEvent,
    ForgettableListed,
    ListForgettable,
    Scope,
    ScopeKind,
)
from messages.model import ToolCall
from messages.past import KeepPast, PastMessage
from messages.socket import Refused
from messages.turn import TurnEnded
from tests.actors.context.rig import CHANNEL, THREAD, Rig, of_type
from tests.actors.context.steps import Killed
from tests.ordinary_user import as_ordinary_user

BOB = UserId("910000000000000022")
SECRET = "the code is hunter22"
CALL = ToolCall(id="c1", name="bash", arguments_json='{"command":"echo hunter22"}')
ASKER = Address("asker")


_NUMBERS = count()


@pytest.fixture
def make_rig(tmp_path: Path) -> Iterator[Callable[[], Rig]]:
    """Maker of a life of one data root."""
    made = list[Rig]()

    def make() -> Rig:
        made.append(Rig(tmp_path))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def scope(kind: ScopeKind = ScopeKind.MESSAGE, message_id: int = 41, **fields: Any) -> Scope:
    return Scope(kind=kind, window=CHANNEL, message_id=str(message_id), **fields)


def list_events(rig: Rig, of: Scope) -> ForgettableListed:
    """Answer of the window to the question what a scope names."""
    asker = rig.system.edge(f"asker-{next(_NUMBERS)}")
    rig.tell(CHANNEL, ListForgettable(request_id=RequestId("l1"), reply_to=asker.address, window=CHANNEL, scope=of))
    (reply,) = of_type(ForgettableListed, asker.drain())
    return reply


def command(events: Iterable[ForgettableEvent], **fields: Any) -> ForgetEvents:
    return ForgetEvents(
        request_id=RequestId("f1"),
        reply_to=ASKER,
        window=CHANNEL,
        forget_id="forget01",
        event_ids=tuple(each.event_id for each in events),
        by="operator",
        why="asked by mail",
        **fields,
    )


def forget(rig: Rig, told: ForgetEvents) -> EventsForgotten:
    asker = rig.system.edge(f"asker-{next(_NUMBERS)}")
    rig.tell(CHANNEL, msgspec.structs.replace(told, reply_to=asker.address))
    (reply,) = of_type(EventsForgotten, asker.drain())
    return reply


def say_as_bob(rig: Rig, text: str, message_id: int, **fields: Any) -> None:
    rig.say(text, message_id, author="Bob", author_id=BOB, **fields)


def answer_and_deliver(rig: Rig, text: str, message_id: int) -> None:
    rig.answer(text)
    (post,) = rig.posts()
    rig.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=(MessageId(str(message_id)),)))


def talk(rig: Rig) -> None:
    """Bob tells a secret, which the agent echoes; Alice quotes and repeats it, and the window begins anew between."""
    say_as_bob(rig, SECRET, 41)
    rig.answer("I run it", CALL)
    rig.finish_command("hunter22")
    answer_and_deliver(rig, "noted: hunter22", 51)
    quote = Quote(message_id=MessageId("41"), author_name="Bob", author_id=BOB, text=SECRET)
    rig.say("what does this mean?", 42, quote=quote, wants_answer=False)
    rig.tell(
        CHANNEL,
        StartNewWindow(
            request_id=RequestId("n1"), reply_to=rig.system.edge("starter").address, window=CHANNEL, asked_by=BOB
        ),
    )
    rig.say(f"Bob said that {SECRET}!", 43, wants_answer=False)
    rig.say("good morning", 44)
    answer_and_deliver(rig, "good morning to you", 54)


def every_byte(root: Path) -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file())


@pytest.mark.req("X-245")
def test_a_message_goes_with_its_turn_its_quotations_and_its_repetitions_from_all_logs(
    make_rig: Callable[[], Rig],
) -> None:
    rig = make_rig()
    talk(rig)
    sizes = [path.stat().st_size for path in rig.logs()]

    named = list_events(rig, scope())
    reply = forget(rig, command(named.events))

    assert b"hunter22" not in every_byte(rig.root)
    assert [each.text for each in named.events if each.event_id.endswith(":quotation")] == [SECRET]
    old, new = rig.logs()
    assert (old.stat().st_size, stat.S_IMODE(old.stat().st_mode)) == (sizes[0], 0o444)
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert [each.content for each in rig.events() if each.kind in (Kind.USER, Kind.AGENT)] == [
        "good morning", "good morning to you"
    ]  # fmt: skip
    (told,) = list_taken_out(parse(path.read_bytes()) for path in (old, new))
    assert (told.forget_id, told.by, told.why) == ("forget01", "operator", "asked by mail")
    assert (told.events, told.quotations) == (len([e for e in reply.events if e.event_id]) - 1, 1)
    assert {each.message_id for each in reply.events} >= {MessageId("41"), MessageId("43")}
    rig.say("and you?", 45)
    assert "hunter22" not in str(rig.requests()[0].messages)


def test_a_turn_in_hand_that_was_shown_forgotten_words_of_elsewhere_ends_with_a_notice(
    make_rig: Callable[[], Rig],
) -> None:
    rig = make_rig()
    rig.say("what is the code?", 41)
    (turn,) = [each.id for each in rig.events() if each.kind is Kind.USER]
    rig.tell(CHANNEL, EndShown(window=CHANNEL, turn_id=TurnId("another")))
    assert rig.posts() == []

    rig.tell(CHANNEL, EndShown(window=CHANNEL, turn_id=TurnId(turn)))

    assert [each.text for each in rig.posts()] == [ASK_AGAIN]
    rig.tell(CHANNEL, EndShown(window=CHANNEL, turn_id=TurnId(turn)))
    assert rig.posts() == []


def test_the_same_command_again_changes_nothing_and_tells_the_same(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)
    told = command(list_events(rig, scope()).events)
    first = forget(rig, told)
    logs = [path.read_bytes() for path in rig.logs()]

    assert SECRET in first.texts
    assert forget(rig, told) == msgspec.structs.replace(first, texts=())
    assert [path.read_bytes() for path in rig.logs()] == logs
    assert list_events(rig, scope()).events == ()


def test_a_forgotten_message_is_not_taken_in_again(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)
    forget(rig, command(list_events(rig, scope()).events))
    rig.stop()
    rig = make_rig()

    say_as_bob(rig, SECRET, 41)
    say_as_bob(rig, SECRET, 43)

    assert b"hunter22" not in every_byte(rig.root)
    assert rig.requests() == []


@pytest.mark.req("X-245")
@pytest.mark.parametrize("quoted", ["41", "51"], ids=["a person's", "the agent's"])
def test_a_reply_to_a_forgotten_message_does_not_bring_its_words_back(make_rig: Callable[[], Rig], quoted: str) -> None:
    rig = make_rig()
    talk(rig)
    forget(rig, command(list_events(rig, scope()).events))

    rig.say("what was that?", 45, quote=Quote(message_id=MessageId(quoted), author_name="Bob", text=SECRET))
    rig.stop()
    rig = make_rig()
    rig.say("and that?", 46, quote=Quote(message_id=MessageId(quoted), author_name="Bob", text=SECRET))
    rig.say("this?", 47, quote=Quote(message_id=MessageId("44"), author_name="Alice", text="good morning"))

    assert b"hunter22" not in every_byte(rig.root)
    (*_, newest) = [each.meta_dict().get("quote") for each in rig.events() if each.kind is Kind.USER]
    assert newest


@pytest.mark.req("X-245")
def test_a_thread_begun_from_a_forgotten_message_does_not_bring_its_words_back(make_rig: Callable[[], Rig]) -> None:
    rig, begun = make_rig(), int(THREAD.id)
    say_as_bob(rig, SECRET, begun)
    rig.answer("noted")
    forget(rig, command(list_events(rig, scope(message_id=begun)).events))

    place = f"910000000000000001:{CHANNEL.id}:everyone"
    say_as_bob(rig, SECRET, begun, window=THREAD, wants_answer=False, audience=place)
    rig.say("good morning", 60, window=THREAD, audience=place)

    assert b"hunter22" not in every_byte(rig.root)
    assert [each.content for each in rig.events(THREAD) if each.kind is Kind.USER] == ["good morning"]


@pytest.mark.req("X-245")
def test_a_forgotten_message_counts_as_logged_so_that_neither_it_nor_its_files_are_fetched_again(
    make_rig: Callable[[], Rig],
) -> None:
    rig = make_rig()
    talk(rig)
    forget(rig, command(list_events(rig, scope()).events))
    asker = rig.system.edge("compares")

    rig.tell(CHANNEL, TellKeptMessages(request_id=RequestId("k"), reply_to=asker.address, window=CHANNEL))

    (told,) = of_type(KeptMessagesTold, asker.drain())
    assert {each.message_id for each in told.messages if each.words == FORGOTTEN_WORDS} == {"41", "43"}


def test_a_question_whose_answer_is_forgotten_is_not_answered_again(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    rig.say("who is there?", 44)
    answer_and_deliver(rig, "Bob is there", 54)
    forget(rig, command(list_events(rig, scope(ScopeKind.PERSON, person_id=BOB, person_name="Bob")).events))
    rig.stop()

    rig = make_rig()
    rig.say("thanks", 45)

    (request,) = rig.requests()
    assert next("who is there?" in message.text for message in request.messages)
    assert "Bob" not in str(request.messages)
    assert "forgotten" in request.messages[1].text


@pytest.mark.req("X-245")
def test_a_turn_in_hand_ends_and_nothing_of_it_is_told_or_shown(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    say_as_bob(rig, SECRET, 41)
    (_request,) = rig.requests()
    rig.say("good morning", 44)
    rig.listener.drain()

    forget(rig, command(list_events(rig, scope()).events))

    assert "hunter22" not in str(of_type(TurnEnded, rig.listener.drain()))
    (other,) = rig.requests()
    assert "good morning" in other.messages[-1].text
    assert "hunter22" not in str(other.messages)
    assert b"hunter22" not in every_byte(rig.root)


def test_a_waiting_question_is_left_unanswered(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    rig.say("good morning", 44)
    say_as_bob(rig, SECRET, 41)
    rig.requests()

    forget(rig, command(list_events(rig, scope()).events))

    assert rig.requests() == []
    assert b"hunter22" not in every_byte(rig.root)


def test_an_answer_that_is_not_shown_yet_is_shown_no_more(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    say_as_bob(rig, SECRET, 41)
    rig.answer("noted: hunter22")
    rig.posts()

    forget(rig, command(list_events(rig, scope()).events))
    rig.advance(900.0)
    assert of_type(PostMessage, rig.surface.drain()) == []
    rig.stop()

    assert make_rig().posts() == []


def test_copies_for_commands_forget_and_keep_what_was_taken_back(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("44"),)))
    copies = [*rig.root.glob("redacted/*/*/*.md")]
    inodes = [path.stat().st_ino for path in copies]
    assert b"hunter22" in b"".join(path.read_bytes() for path in copies)

    forget(rig, command(list_events(rig, scope()).events))

    assert b"hunter22" not in every_byte(rig.root)
    shown = b"".join(path.read_bytes() for path in copies)
    assert b"good morning" not in shown
    assert [path.stat().st_ino for path in copies] == inodes


def test_only_ones_own_words_go_where_others_may_not(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)

    named = list_events(rig, scope(ScopeKind.PERSON, person_id=BOB, person_name="Bob", only_by=BOB))

    assert named.withheld == 1
    assert {each.author_id for each in named.events} <= {BOB, ""}
    assert "good morning" not in [each.text for each in named.events]


def test_a_whole_window_forgets_every_word_and_goes_on(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)

    forget(rig, command((), whole_window=True))

    data = every_byte(rig.root / "logs")
    assert not any(word in data for word in (b"hunter22", b"morning", b"Alice", b"Bob"))
    rig.say("hello", 60)
    assert rig.requests()[0].messages[-1].text.endswith("hello")


def test_drafts_that_a_kill_left_are_removed(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)
    folder = rig.logs()[0].parent
    for name in (".new", f".{rig.logs()[0].name}.new", ".imported-1-2.md.new"):
        (folder / name).write_bytes(b"hunter22")

    forget(rig, command(list_events(rig, scope()).events))

    assert b"hunter22" not in every_byte(rig.root)


def test_a_power_loss_afterwards_brings_no_word_back_and_takes_no_log(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)

    forget(rig, command(list_events(rig, scope()).events))

    assert b"hunter22" not in every_byte(rig.root)
    assert [rig.disk.surviving(path) for path in rig.logs()] == [path.read_bytes() for path in rig.logs()]


@pytest.mark.req("X-247")
def test_words_of_an_attempt_that_failed_halfway_are_reported_by_the_next(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)
    say_as_bob(rig, "the other code is hunter23", 45, wants_answer=False)
    events = [each for number in (41, 45) for each in list_events(rig, scope(message_id=number)).events]
    calls: list[str] = []

    def fail_at_the_second_log(call: str, _data: bytes) -> None:
        calls.append(call)
        if call == "replace" and calls.count("replace") == 2:
            raise OSError(errno.EIO, "broken")

    rig.disk.before = fail_at_the_second_log
    rig.tell(CHANNEL, command(events))
    rig.disk.before = lambda _call, _data: None
    rig.advance(61)

    reply = forget(rig, command(events))

    assert {SECRET, "the other code is hunter23"} <= {*reply.texts}
    assert b"hunter2" not in every_byte(rig.root)


def test_unknown_ids_change_nothing_and_stop_nothing(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    rig.say("good morning", 44)
    before = every_byte(rig.root)

    reply = forget(rig, msgspec.structs.replace(command(()), event_ids=(EventId("nosuchid"),)))

    assert (reply.events, every_byte(rig.root)) == ((), before)
    assert len(rig.requests()) == 1


def records(rig: Rig) -> dict[tuple[str, int], str]:
    """Name of a log and line -> event there, forgotten or not."""
    found = dict[tuple[str, int], str]()
    for path in rig.logs():
        log = parse(path.read_bytes())
        found |= {(path.name, each.line): each.event.id for each in log.events}
        found |= {(path.name, each.line): each.id for each in log.forgotten}
    return found


def killed_at(rig: Rig, told: ForgetEvents, step: int) -> bool:
    """True if the command has a step of that number, at which the window is killed."""
    steps = list[str]()

    def dies(call: str, data: bytes) -> None:
        steps.append(call)
        if len(steps) >= step:
            raise Killed

    rig.disk.before = dies
    try:
        rig.tell(CHANNEL, told)
    except Killed:
        return True
    finally:
        rig.disk.before = lambda call, data: None
        rig.kill()
    return False


@pytest.mark.req("X-245")
def test_killed_at_any_step_each_log_is_the_old_or_the_new_and_the_same_command_finishes(tmp_path: Path) -> None:
    step, is_cut = 0, True
    while is_cut:
        step += 1
        (root := tmp_path / str(step)).mkdir()
        rig = Rig(root)
        talk(rig)
        told = command(list_events(rig, scope()).events)
        places = records(rig)

        is_cut = killed_at(rig, told, step)

        rig = Rig(root)
        assert places.items() <= records(rig).items()
        reply = forget(rig, told)
        assert b"hunter22" not in every_byte(root), step
        assert {each.message_id for each in reply.events} >= {MessageId("41"), MessageId("43")}
        (note,) = list_taken_out(parse(path.read_bytes()) for path in rig.logs())
        assert (note.by, note.events + note.quotations) == ("operator", len(reply.events))
        rig.stop()
    assert step > 10


@pytest.mark.req("X-246", "X-250")
def test_a_command_goes_whose_kept_output_has_the_words_where_the_log_has_only_its_end(
    make_rig: Callable[[], Rig],
) -> None:
    rig = make_rig()
    talk(rig)
    rig.say("show me the log", 46)
    rig.answer("here", CALL)
    command_run = rig.finish_command("the end of a long output")
    rig.answer("that is all")
    folder = rig.root / output_folder(CHANNEL)
    folder.mkdir(parents=True)
    (folder / f"{command_run.turn_id}-{command_run.request_id}.log").write_text(f"line 1\n{SECRET}\nline 3\n")
    (folder / "other-r1.log").write_text("an owl")

    named = list_events(rig, scope())

    assert "the end of a long output" in [each.text for each in named.events]
    assert "show me the log" not in [each.text for each in named.events]
    reply = forget(rig, command(named.events))
    assert command_run.turn_id in {each.turn_id for each in reply.events}


def test_outputs_that_cannot_be_read_end_the_list_in_words(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)
    folder = rig.root / output_folder(CHANNEL)
    folder.mkdir(parents=True)
    (folder / "q1-r1.log").write_text("an owl")
    (folder / "q1-r1.log").chmod(0)
    asker = rig.system.edge("asks")

    with as_ordinary_user():
        rig.tell(
            CHANNEL,
            ListForgettable(request_id=RequestId("l"), reply_to=asker.address, window=CHANNEL, scope=scope()),
        )

    (reply,) = asker.drain()
    assert isinstance(reply, Refused)
    assert "a kept output cannot be searched" in reply.reason


@pytest.mark.req("X-250")
def test_files_of_a_forgotten_message_that_opens_a_thread_are_removed_again(make_rig: Callable[[], Rig]) -> None:
    rig, begun = make_rig(), int(THREAD.id)
    rig.system.register(ActorSpec(WINDOW_FILES.kind, lambda _key: WindowFilesActor(rig.root, rig.disk)))
    say_as_bob(rig, SECRET, begun)
    rig.answer("noted")
    forget(rig, command(list_events(rig, scope(message_id=begun)).events))
    folder = rig.root / attachments_folder(THREAD) / THREAD.id
    folder.mkdir(parents=True)
    (folder / "code.txt").write_text(SECRET)
    file = Attachment(
        filename="code.txt", url="", size_bytes=9, kind=FileKind.TEXT, path=f"attachments/{begun}/code.txt"
    )

    place = f"910000000000000001:{CHANNEL.id}:everyone"
    say_as_bob(rig, SECRET, begun, window=THREAD, wants_answer=False, audience=place, attachments=(file,))

    assert b"hunter22" not in every_byte(rig.root)


@pytest.mark.req("X-246")
def test_what_was_posted_for_a_forgotten_message_is_logged_without_its_words(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)
    forget(rig, command(list_events(rig, scope()).events))

    for number, answered in ((71, "41"), (72, "44")):
        posted = RuntimePosted(
            window=CHANNEL,
            by="approval",
            text=f"May I run it for {answered}: echo hunter22?" if answered == "41" else "May I run it?",
            message_ids=(MessageId(str(number)),),
            answers_message_id=MessageId(answered),
        )
        rig.tell(CHANNEL, posted)

    assert b"hunter22" not in every_byte(rig.root)
    posts = [each for each in rig.events() if each.meta_dict().get("what") == "posted"]
    assert [(each.content, each.meta_dict()["message_ids"]) for each in posts] == [
        ("", ["71"]),
        ("May I run it?", ["72"]),
    ]


@pytest.mark.req("X-246")
def test_a_forgotten_posting_of_an_earlier_log_is_not_logged_again(make_rig: Callable[[], Rig]) -> None:
    """The runtime reports a posting again, as late, if the host of a busy window was lost."""
    rig = make_rig()
    posted = RuntimePosted(window=CHANNEL, by="scheduler", text=SECRET, message_ids=(MessageId("7"),))
    rig.tell(CHANNEL, posted)
    starter = rig.system.edge("starter").address
    rig.tell(CHANNEL, StartNewWindow(request_id=RequestId("n"), reply_to=starter, window=CHANNEL, asked_by=BOB))
    forget(rig, command(list_events(rig, scope(message_id=7)).events))
    assert b"hunter22" not in every_byte(rig.root)

    rig.tell(CHANNEL, msgspec.structs.replace(posted, is_late=True))
    assert b"hunter22" not in every_byte(rig.root)


@pytest.mark.req("X-246")
def test_a_forgotten_posting_is_not_logged_again_nor_taken_in_as_past(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    number = 900_000_000_000_000_007
    posted = RuntimePosted(window=CHANNEL, by="scheduler", text=SECRET, message_ids=(MessageId(str(number)),))
    rig.tell(CHANNEL, posted)
    forget(rig, command(list_events(rig, scope(message_id=number)).events))
    assert b"hunter22" not in every_byte(rig.root)
    rig.stop()
    rig = make_rig()

    rig.tell(CHANNEL, posted)
    past = PastMessage(
        message_id=MessageId(str(number)),
        author_id=UserId("7"),
        author_name="agent",
        text=SECRET,
        typed_chars=len(SECRET),
        sent_at=datetime(2026, 1, 30, tzinfo=UTC),
    )
    keeper = rig.system.edge("importer")
    rig.tell(
        CHANNEL,
        KeepPast(request_id=RequestId("k"), reply_to=keeper.address, window=CHANNEL, messages=(past,)),
    )

    assert b"hunter22" not in every_byte(rig.root)


@pytest.mark.req("X-245")
def test_a_forgotten_message_is_not_pinned_by_its_number(make_rig: Callable[[], Rig]) -> None:
    rig = make_rig()
    talk(rig)
    forget(rig, command(list_events(rig, scope()).events))
    asker = rig.system.edge("pins")

    pin = PinMemory(
        request_id=RequestId("p"),
        reply_to=asker.address,
        window=CHANNEL,
        asked_by=UserId("21"),
        asked_by_name="Alice",
        message_id=MessageId("41"),
        text=SECRET,
    )
    rig.tell(CHANNEL, pin)

    (answer,) = asker.drain()
    assert isinstance(answer, Refused)
    assert b"hunter22" not in every_byte(rig.root)


def test_a_message_that_joined_a_forgotten_turn_is_not_answered_again(tmp_path: Path) -> None:
    rig = Rig(tmp_path, mid_turn="steer")
    rig.say(SECRET, 1)
    rig.answer("", CALL)
    say_as_bob(rig, "and the weather?", 2)
    rig.finish_command("hunter22")
    rig.answer("sunny")
    rig.deliver()
    question = next(event.id for event in rig.events() if event.kind is Kind.USER)
    forget(rig, msgspec.structs.replace(command(()), event_ids=(question,)))
    rig.stop()
    assert survey(tmp_path).unfinished == ()
    again = Rig(tmp_path)
    again.say("next", 3)
    request = again.answer("yes")
    assert "and the weather?" in str(request.messages)
    assert again.deliver().answers_message_id == "3"
    assert again.requests() == []
    again.stop()
