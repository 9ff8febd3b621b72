"""Forget requests: counted first, confirmed by the same person, carried out in order, finished after a kill."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from actors.forget.config import FOLDER
from actors.forget.state import PREVIEW_S
from actors.linux.disk import RealDisk
from domain.log.window_folders import output_folder
from domain.policy.forgetting.rights import NO_SUCH_MESSAGE, NOT_ALL_YOURS, NOT_YOURS, NOTHING
from messages.base import EventId, Message, MessageId, Surface, UserId, Window
from messages.forget import (
    CarryOutForget,
    ForgetCarriedOut,
    ForgetPreviewed,
    ForgetState,
    ForgettableEvent,
    PreviewForget,
    RoomCount,
    Scope,
    ScopeKind,
)
from messages.socket import Refused
from tests.actors.forget.rig import (
    ANNE,
    AT,
    BOB,
    HERE,
    MODERATOR,
    NO_ACCOUNT,
    OPERATOR,
    ROOM,
    THERE,
    Household,
    Rig,
    event,
    memory,
)

OWL, CAT, FOX = "the owl sleeps in the old barn", "a cat", "a fox ate the owl of the barn"


@pytest.fixture
def house(tmp_path: Path) -> Household:
    events = {
        HERE: [event(1, ANNE, OWL), event(2, BOB, CAT), event(3, BOB, f"she said: {OWL}")],
        THERE: [event(11, BOB, FOX, THERE), event(12, ANNE, f"I said that {OWL}", THERE)],
    }
    for window, each in events.items():
        folder = tmp_path / "logs" / window.address.key
        folder.mkdir(parents=True)
        (folder / "20261129T000000Z_0001.md").write_text("\n".join(one.text for one in each))
    return Household(events=events)


@pytest.fixture
def rig(tmp_path: Path, house: Household) -> Iterator[Rig]:
    made = Rig(tmp_path, house)
    yield made
    made.system.stop()


def message(event_id: str, window: Window = HERE) -> Scope:
    return Scope(kind=ScopeKind.MESSAGE, window=window, message_id=event_id)


def person(account: UserId) -> Scope:
    return Scope(kind=ScopeKind.PERSON, window=HERE, person_id=account)


def texts_left(house: Household) -> list[str]:
    return [each.text for events in house.events.values() for each in events]


def journal(folder: Path) -> str:
    return "\n".join(path.read_text() for path in (folder / FOLDER).iterdir())


def refusal(reply: Message) -> str:
    assert isinstance(reply, Refused), reply
    return reply.reason


def count(reply: Message) -> ForgetPreviewed:
    assert isinstance(reply, ForgetPreviewed), reply
    return reply


@pytest.mark.req("X-247")
def test_nothing_goes_before_the_same_person_confirms_and_logs_go_before_rooms(
    rig: Rig, house: Household, tmp_path: Path
) -> None:
    before = texts_left(house)
    seen = count(rig.preview(message("e2"), BOB))
    assert (seen.events, seen.people, seen.excerpts, texts_left(house)) == (1, 1, (CAT,), before)
    assert "too long ago" in refusal(rig.confirm(seen.preview_id, ANNE))
    assert texts_left(house) == before

    done = rig.confirm(seen.preview_id, BOB)

    assert isinstance(done, ForgetCarriedOut)
    assert CAT not in texts_left(house)
    assert house.log == ["window 11", "room 11"]
    assert (done.events, done.rooms[1:], done.waiting_for) == (1, (RoomCount(room="room", count=1),), ())
    assert done.elsewhere == ("Discord keeps its messages.",)
    again = rig.confirm(seen.preview_id, BOB)
    assert isinstance(again, ForgetCarriedOut)
    assert (again.events, house.log) == (1, ["window 11", "room 11"])
    (record,) = rig.list_records().forgets
    assert (record.by, record.state, record.forget_id) == (BOB, ForgetState.DONE, seen.preview_id)
    assert CAT not in journal(tmp_path)


def repeat_owl(house: Household, root: Path) -> list[ForgettableEvent]:
    """Say Anne's words again elsewhere: Anne herself, then Bob."""
    late = [event(13, ANNE, f"once more: {OWL}", THERE), event(14, BOB, f"she said again: {OWL}", THERE)]
    house.events[THERE] += late
    (log,) = (root / "logs" / THERE.address.key).iterdir()
    log.write_text("\n".join(each.text for each in house.events[THERE]))
    return late


@pytest.mark.req("X-247")
def test_what_repeats_the_words_after_the_count_goes_too_as_far_as_the_person_may(
    rig: Rig, house: Household, tmp_path: Path
) -> None:
    seen = count(rig.preview(message("e1"), ANNE))
    late = repeat_owl(house, tmp_path)

    rig.confirm(seen.preview_id, ANNE)
    rig.advance(0)

    assert texts_left(house) == [CAT, f"she said: {OWL}", FOX, late[1].text]
    first, again = sorted(rig.list_records().forgets, key=lambda record: record.kind is ScopeKind.REPEATED)
    assert (first.forget_id, again.kind, again.by) == (seen.preview_id, ScopeKind.REPEATED, ANNE)
    assert (again.state, again.rooms[0].count) == (ForgetState.DONE, 1)
    assert OWL not in journal(tmp_path)


@pytest.mark.req("X-247")
@pytest.mark.parametrize("fault", ["full disk", "slow window"])
def test_repetitions_are_looked_for_again_when_they_cannot_be_taken_out_at_first(
    rig: Rig, house: Household, tmp_path: Path, fault: str
) -> None:
    seen = count(rig.preview(message("e1"), ANNE))
    late = repeat_owl(house, tmp_path)

    def refuse(call: str, data: bytes) -> None:
        if call == "write" and b'"kind":"repeated"' in data:
            raise OSError(errno.ENOSPC, "no space left")

    if fault == "full disk":
        rig.disk.before = refuse
    else:
        house.silent.add(ScopeKind.REPEATED)
    rig.confirm(seen.preview_id, ANNE)
    rig.advance(301)
    assert late[0].text in texts_left(house)
    rig.disk.before = lambda _call, _data: None
    house.silent.clear()
    rig.advance(301)

    assert texts_left(house) == [CAT, f"she said: {OWL}", FOX, late[1].text]


@pytest.mark.req("X-247")
def test_words_in_an_answer_behind_its_deadline_are_looked_for_too(rig: Rig, house: Household, tmp_path: Path) -> None:
    seen = count(rig.preview(message("e1"), ANNE))
    late = repeat_owl(house, tmp_path)
    house.delay_s = 130.0
    rig.start(seen.preview_id, ANNE)
    rig.advance(125)
    house.delay_s = 0.0
    rig.advance(30)
    rig.advance(0)

    assert texts_left(house) == [CAT, f"she said: {OWL}", FOX, late[1].text]


@pytest.mark.req("X-248")
def test_what_repeats_the_words_goes_after_a_kill_too(rig: Rig, house: Household, tmp_path: Path) -> None:
    seen = count(rig.preview(message("e1"), ANNE))
    late = repeat_owl(house, tmp_path)
    house.silent.add("context")
    rig.start(seen.preview_id, ANNE)
    house.silent.clear()

    second = Rig(tmp_path, house, rig.clock)  # the first process says no more
    second.advance(0)
    assert texts_left(house) == [CAT, f"she said: {OWL}", FOX, late[1].text]
    second.system.stop()


@pytest.mark.req("X-247")
def test_what_repeats_the_words_goes_though_the_clock_was_hours_ahead_when_the_request_came(
    rig: Rig, house: Household, tmp_path: Path
) -> None:
    house.events[HERE][0] = replace(house.events[HERE][0], message_id=sent_at(rig.clock.now()))
    seen = count(rig.preview(message("e1"), ANNE))
    house.silent.add("context")
    rig.clock.jump(timedelta(hours=5))
    rig.start(seen.preview_id, ANNE)
    rig.clock.jump(-timedelta(hours=5))
    answer = replace(event(13, NO_ACCOUNT, f"Anne says {OWL}", THERE), at=rig.clock.now())
    house.events[THERE].append(answer)
    (log,) = (tmp_path / "logs" / THERE.address.key).iterdir()
    log.write_text("\n".join(each.text for each in house.events[THERE]))
    house.silent.clear()
    rig.advance(125)
    rig.advance(30)
    rig.advance(0)
    assert texts_left(house) == [CAT, f"she said: {OWL}", FOX]


@pytest.mark.req("X-247")
def test_what_the_agent_said_before_the_words_stays_though_a_pin_of_an_old_message_goes_with_them(
    rig: Rig, house: Household, tmp_path: Path
) -> None:
    rig.clock.jump(AT - rig.clock.now())
    (words, *others), old = house.events[HERE], event(4, ANNE, "an old message, pinned now")
    house.events[HERE] = [replace(words, message_id=sent_at(AT)), *others]
    house.events[HERE].append(replace(old, message_id=sent_at(AT - timedelta(days=60))))
    answer = replace(event(13, NO_ACCOUNT, f"Bob, {OWL}", THERE), at=AT - timedelta(days=30))
    house.events[THERE].append(answer)
    (log,) = (tmp_path / "logs" / THERE.address.key).iterdir()
    log.write_text("\n".join(each.text for each in house.events[THERE]))
    rig.confirm(count(rig.preview(person(ANNE), ANNE)).preview_id, ANNE)
    rig.advance(0)
    rig.advance(30)
    assert texts_left(house) == [CAT, f"she said: {OWL}", FOX, answer.text]


def sent_at(moment: datetime) -> MessageId:
    """Id of a message that Discord dates so."""
    return MessageId(str(int((moment - datetime(2015, 1, 1, tzinfo=UTC)).total_seconds() * 1_000) << 22))


@pytest.mark.req("X-247")
def test_others_words_take_an_operator_or_who_may_manage_messages_there(rig: Rig) -> None:
    assert refusal(rig.preview(message("e2"), ANNE)) == NOT_YOURS
    assert refusal(rig.preview(message("e99"), ANNE)) == NO_SUCH_MESSAGE
    assert refusal(rig.preview(person(BOB), ANNE)) == NOT_ALL_YOURS
    everything = Scope(kind=ScopeKind.WINDOW, window=HERE)
    assert refusal(rig.preview(everything, ANNE)) == NOT_ALL_YOURS
    elsewhere = replace(everything, window=THERE)
    assert refusal(rig.preview(elsewhere, MODERATOR, manages=True)) == NOT_ALL_YOURS
    for scope in (message("e2"), person(BOB), everything):
        assert count(rig.preview(scope, MODERATOR, manages=True)).events
        assert count(rig.preview(scope, OPERATOR)).events
        assert count(rig.preview(scope)).events
    assert count(rig.preview(person(ANNE), ANNE)).events == 2


@pytest.mark.req("X-247")
def test_a_person_who_may_no_longer_manage_messages_cannot_confirm(rig: Rig, house: Household) -> None:
    seen = count(rig.preview(message("e2"), MODERATOR, manages=True))
    assert "other rights" in refusal(rig.confirm(seen.preview_id, MODERATOR))
    assert CAT in texts_left(house)
    assert isinstance(rig.confirm(seen.preview_id, MODERATOR, manages=True), ForgetCarriedOut)
    assert CAT not in texts_left(house)


def test_repetitions_in_every_window_go_as_far_as_the_person_may(rig: Rig, house: Household) -> None:
    own = count(rig.preview(message("e1"), ANNE))
    assert (own.events, own.repeated) == (2, 1)
    assert (own.excerpts, own.withheld) == ((OWL,), 0), "what stands in other windows is shown to nobody"
    everyones = count(rig.preview(message("e1"), OPERATOR))
    assert (everyones.events, everyones.repeated, len(everyones.windows)) == (3, 2, 2)
    rig.confirm(everyones.preview_id, OPERATOR)
    assert texts_left(house) == [CAT, FOX]


def test_a_topic_is_what_the_search_finds_near_and_of_that_what_the_person_may(rig: Rig, house: Household) -> None:
    owl, cat, _ = house.events[HERE]
    fox = house.events[THERE][0]
    house.memories = [memory(owl, HERE, 0.9, 0.9), memory(fox, THERE, 0.6, 0.4), memory(cat, HERE, 0.0, 0.3)]
    topic = Scope(kind=ScopeKind.TOPIC, window=HERE, words="owls in the barn")
    assert count(rig.preview(topic, ANNE)).excerpts == (OWL, f"I said that {OWL}")
    assert count(rig.preview(topic, MODERATOR, manages=True)).windows[0].window == HERE
    rig.forget(topic, OPERATOR)
    assert texts_left(house) == [CAT]
    assert refusal(rig.preview(replace(topic, words=" "), ANNE)) == "a topic needs words"
    house.memories = []
    assert refusal(rig.preview(topic, ANNE)) == NOTHING


def test_a_topic_with_very_many_results_says_that_there_may_be_more(rig: Rig, house: Household) -> None:
    owl = house.events[HERE][0]
    topic = Scope(kind=ScopeKind.TOPIC, window=HERE, words="owls")
    house.memories = [memory(owl, HERE, 0.9, 0.9)] * 99
    assert not count(rig.preview(topic)).is_partial
    house.memories *= 2
    assert count(rig.preview(topic)).is_partial


def test_logs_that_cannot_be_read_end_the_preview_in_words(rig: Rig, tmp_path: Path) -> None:
    log = tmp_path / "logs" / THERE.address.key / "20261129T000000Z_0001.md"
    log.unlink()
    log.mkdir()
    assert "cannot be looked through" in refusal(rig.preview(message("e1")))


def test_a_window_without_logs_is_refused_and_not_opened(rig: Rig) -> None:
    nowhere = Window(surface=HERE.surface, id="7")
    assert "keeps no logs" in refusal(rig.preview(Scope(kind=ScopeKind.WINDOW, window=nowhere)))


def test_a_window_goes_whole_and_its_rooms_hear_so(rig: Rig, house: Household) -> None:
    house.events[HERE] = []
    rig.forget(Scope(kind=ScopeKind.WINDOW, window=HERE), OPERATOR)
    assert [(each.window, each.whole_window) for each in house.derived] == [(HERE, True)]


def test_the_agents_own_rule_needs_no_preview_and_takes_no_repetitions(rig: Rig, house: Household) -> None:
    old = replace(house.events[HERE][0], at=AT - timedelta(days=9))
    house.events[HERE][0] = old
    scope = Scope(kind=ScopeKind.EXPIRED, window=HERE, before=AT)
    make = partial(CarryOutForget, window=HERE, scope=scope, by="retention", why="older than 8 days")
    reply = rig.answer(rig.ask(make))
    assert isinstance(reply, ForgetCarriedOut)
    assert reply.events == 1
    (record,) = rig.list_records().forgets
    assert (record.by, record.why, record.kind) == ("retention", "older than 8 days", ScopeKind.EXPIRED)


def test_expired_words_that_an_operator_counts_first_take_no_repetitions(
    rig: Rig, house: Household, tmp_path: Path
) -> None:
    house.events[HERE][0] = replace(house.events[HERE][0], at=AT - timedelta(days=9))
    late = repeat_owl(house, tmp_path)
    done = rig.forget(Scope(kind=ScopeKind.EXPIRED, window=HERE, before=AT))
    rig.advance(0)
    assert done.events == 1
    assert {each.text for each in late} <= {*texts_left(house)}


def test_a_person_cannot_pass_a_scope_instead_of_a_preview(rig: Rig, house: Household) -> None:
    make = partial(CarryOutForget, window=HERE, scope=message("e2"), asked_by=ANNE)
    assert "please ask once more" in refusal(rig.answer(rig.ask(make)))
    assert house.log == []


@pytest.mark.req("X-248")
@pytest.mark.parametrize("silent", ["context", ROOM.kind])
def test_who_does_not_answer_is_named_and_asked_again_until_done(rig: Rig, house: Household, silent: str) -> None:
    seen = count(rig.preview(message("e2"), BOB))
    house.silent.add(silent)
    asked = rig.start(seen.preview_id, BOB)
    rig.advance(121)
    begun = rig.answer(asked)
    assert isinstance(begun, ForgetCarriedOut)
    assert begun.waiting_for == (HERE.address.key if silent == "context" else silent,)
    assert rig.list_records().forgets[0].state is not ForgetState.DONE
    house.silent.clear()
    rig.advance(31)
    rig.advance(0)
    (record,) = rig.list_records().forgets
    assert (record.state, record.waiting_for, CAT in texts_left(house)) == (ForgetState.DONE, (), False)


@pytest.mark.req("X-248")
@pytest.mark.parametrize("silent", ["context", ROOM.kind])
def test_a_kill_after_the_journal_loses_nothing_and_the_next_start_finishes(
    rig: Rig, house: Household, tmp_path: Path, silent: str
) -> None:
    seen = count(rig.preview(person(BOB), BOB))
    house.silent.add(silent)
    rig.start(seen.preview_id, BOB)
    assert OWL not in journal(tmp_path)
    assert CAT not in journal(tmp_path)
    house.silent.clear()

    second = Rig(tmp_path, house, rig.clock)  # the first process says no more
    (record,) = second.list_records().forgets
    assert (record.state, record.rooms[1].count) == (ForgetState.DONE, 2)
    assert texts_left(house) == [OWL, FOX, f"I said that {OWL}"]
    assert BOB not in journal(tmp_path).replace(f'"by":"{BOB}"', "")
    second.system.stop()


class FullDisk(RealDisk):
    """A disk without room for a journal."""

    def write(self, fd: int, data: bytes | memoryview) -> int:
        raise OSError(errno.ENOSPC, "no space left")


class BrokenDisk(RealDisk):
    """A disk whose second file is opened in a way that no code expects."""

    def __init__(self) -> None:
        self.opened = 0

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        self.opened += 1
        if self.opened == 2:
            raise RuntimeError("a fault")
        return super().open(path, flags, mode)


@pytest.mark.crashes
def test_who_waits_is_answered_by_the_next_life_of_a_crashed_actor(house: Household, tmp_path: Path) -> None:
    rig = Rig(tmp_path, house, disk=BrokenDisk())
    seen = count(rig.preview(message("e2"), BOB))
    asked = rig.start(seen.preview_id, BOB)
    rig.advance(5)
    done = rig.answer(asked)
    assert isinstance(done, ForgetCarriedOut)
    assert (done.waiting_for, CAT in texts_left(house)) == ((), False)
    rig.system.stop()


def test_without_a_record_on_the_disk_nothing_is_taken_out(house: Household, tmp_path: Path) -> None:
    rig = Rig(tmp_path, house, disk=FullDisk())
    seen = count(rig.preview(message("e2"), BOB))
    assert "no space left" in refusal(rig.confirm(seen.preview_id, BOB))
    assert house.log == []
    rig.system.stop()


def test_a_request_that_was_refused_is_not_carried_out_by_the_next_life(house: Household, tmp_path: Path) -> None:
    rig = Rig(tmp_path, house)
    seen = count(rig.preview(message("e2"), BOB))
    calls: list[str] = []

    def before(call: str, _data: bytes) -> None:
        calls.append(call)
        if call == "sync_folder" and "replace" in calls:
            raise OSError(errno.EIO, "broken")

    rig.disk.before = before
    assert "broken" in refusal(rig.confirm(seen.preview_id, BOB))
    rig.system.stop()

    second = Rig(tmp_path, house, rig.clock)
    assert (house.log, CAT in texts_left(house)) == ([], True)
    assert second.list_records().forgets == ()
    second.system.stop()


def test_a_request_that_was_refused_is_not_brought_back_by_a_power_loss(house: Household, tmp_path: Path) -> None:
    rig = Rig(tmp_path, house)
    seen = count(rig.preview(message("e2"), BOB))
    calls: list[str] = []

    def fail_after_the_effect(call: str, _data: bytes) -> None:
        calls.append(call)
        if call == "sync_folder" and "replace" in calls:
            rig.disk.before = lambda _call, _data: None
            rig.disk.sync_folder(tmp_path / "forget")
            raise OSError(errno.EIO, "broken")

    rig.disk.before = fail_after_the_effect
    assert "broken" in refusal(rig.confirm(seen.preview_id, BOB))
    rig.system.stop()
    rig.disk.lose_power()

    second = Rig(tmp_path, house, rig.clock)
    assert (house.log, CAT in texts_left(house)) == ([], True)
    assert second.list_records().forgets == ()
    second.system.stop()


def test_a_preview_is_void_after_a_quarter_of_an_hour(rig: Rig, house: Household) -> None:
    seen = count(rig.preview(message("e2"), BOB))
    rig.advance(PREVIEW_S + 1)
    assert "too long ago" in refusal(rig.confirm(seen.preview_id, BOB))
    assert house.log == []


def test_a_window_that_cannot_say_what_it_holds_ends_the_preview_in_words(rig: Rig, house: Household) -> None:
    house.silent.add("context")
    asked = rig.ask(partial(PreviewForget, window=HERE, scope=message("e2"), asked_by=BOB))
    rig.advance(301)
    assert HERE.address.key in refusal(rig.answer(asked))


@pytest.mark.req("X-246", "X-250")
def test_a_window_is_asked_whose_kept_output_repeats_the_words_though_its_log_does_not(
    rig: Rig, house: Household, tmp_path: Path
) -> None:
    (log,) = (tmp_path / "logs" / THERE.address.key).iterdir()
    log.write_text("nothing of it")
    assert count(rig.preview(message("e1"), ANNE)).events == 1
    outputs = tmp_path / output_folder(THERE)
    outputs.mkdir(parents=True)
    (outputs / "q1-r1.log").write_text(f"1\n{OWL}\n")
    (outputs / "link.log").symlink_to("/dev/zero")

    assert count(rig.preview(message("e1"), ANNE)).events == 2


@pytest.mark.req("X-246")
def test_a_thread_begun_from_the_message_between_count_and_confirmation_goes_too(
    rig: Rig, house: Household, tmp_path: Path
) -> None:
    number = "910000000000000077"
    thread = Window(surface=Surface.DISCORD_THREAD, id=number)
    house.events[HERE].append(replace(event(4, ANNE, "a kiwi"), event_id=EventId(number), message_id=MessageId(number)))
    seen = count(rig.preview(message(number), ANNE))
    folder = tmp_path / "logs" / thread.address.key
    folder.mkdir(parents=True)
    (folder / "20261129T000000Z_0001.md").write_text("a kiwi")
    house.events[thread] = [replace(event(5, ANNE, "a kiwi", thread), event_id=EventId(number))]

    rig.confirm(seen.preview_id, ANNE)
    rig.advance(0)

    assert "a kiwi" not in texts_left(house)


@pytest.mark.req("X-247")
def test_what_the_agent_said_long_before_the_words_repeats_nothing_of_them(rig: Rig, house: Household) -> None:
    of_agent = [event(number, UserId(""), OWL, THERE) for number in (20, 21)]
    house.events[THERE] += [replace(of_agent[0], at=AT - timedelta(days=1)), of_agent[1]]

    assert count(rig.preview(message("e1"), ANNE)).events == 3
    assert count(rig.preview(message("e1"), OPERATOR)).events == 5
