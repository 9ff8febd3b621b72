"""A channel's messages, said while the agent listens, is away or dies at any step: each is logged, and logged once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from domain.log.reading import Reading
from domain.log.watermark import ENDLESS, Gap, Watermark
from messages.base import Surface


class Life(RuleBasedStateMachine):
    """Discord keeps what is said; the agent notices, passes on and logs it, in any order that its parts allow.

    `confirmed` is what a watermark may say; the log knows ids, so that something told twice is logged once.
    """

    def __init__(self) -> None:
        super().__init__()
        self.posted_ids: list[int] = []
        self.log: list[int] = []
        self.watermark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=0)
        self.next_id = 1
        self.begin_life()

    def begin_life(self) -> None:
        self.reading = Reading(self.watermark)
        self.session = 0
        self.is_connected = False
        self.told_ids: list[int] = []
        self.confirmations: list[int] = []
        self.pages: list[tuple[int, int, int, bool, list[int]]] = []
        self.late: list[int] = []

    @initialize(first=st.integers(min_value=0, max_value=3))
    def history_before_the_agent(self, first: int) -> None:
        self.next_id = first + 1
        self.watermark = Watermark(surface=Surface.DISCORD_CHANNEL, first=first, upto=first)
        self.begin_life()

    # people, and the connection

    @rule(step=st.integers(min_value=1, max_value=3))
    def say(self, step: int) -> None:
        self.next_id += step
        self.posted_ids.append(self.next_id)
        if self.is_connected:
            self.reading.notice(self.next_id, self.session)
            self.told_ids.append(self.next_id)

    @precondition(lambda self: self.is_connected)
    @rule(step=st.integers(min_value=1, max_value=3), comes=st.booleans())
    def say_with_no_event(self, step: int, comes: bool) -> None:
        """Its event comes late, or never."""
        self.next_id += step
        self.posted_ids.append(self.next_id)
        if comes:
            self.late.append(self.next_id)

    @precondition(lambda self: self.is_connected and self.late)
    @rule(which=st.integers(min_value=0, max_value=3), again=st.booleans())
    def hear_late(self, which: int, again: bool) -> None:
        """Perhaps it comes twice."""
        number = self.late.pop(which % len(self.late))
        if again:
            self.late.append(number)
        self.reading.notice(number, self.session)
        self.told_ids.append(number)

    @precondition(lambda self: self.is_connected)
    @rule(step=st.integers(min_value=1, max_value=3))
    def the_bot_speaks(self, step: int) -> None:
        self.next_id += step
        self.reading.pass_by(self.next_id, self.session)

    @rule()
    def lose_the_connection(self) -> None:
        self.is_connected = False

    @precondition(lambda self: not self.is_connected)
    @rule(knows_newest=st.booleans())
    def connect(self, knows_newest: bool) -> None:
        self.session += 1
        self.is_connected = True
        newest = max(self.posted_ids, default=0) if knows_newest else ENDLESS
        self.reading.join(self.session, newest)

    @precondition(lambda self: not self.is_connected)
    @rule(step=st.integers(min_value=1, max_value=3))
    def hear_before_joining(self, step: int) -> None:
        """The new session sends something while it is not known yet what was missed."""
        self.session += 1
        self.next_id += step
        self.posted_ids.append(self.next_id)
        self.reading.notice(self.next_id, self.session)
        self.told_ids.append(self.next_id)
        self.is_connected = True
        self.reading.join(self.session, self.next_id - 1)

    # history

    @precondition(lambda self: self.reading.gaps)
    @rule(size=st.integers(min_value=1, max_value=3), which=st.integers(min_value=0, max_value=3))
    def read_a_page(self, size: int, which: int) -> None:
        self.ask_for_a_page(self.reading.gaps[which % len(self.reading.gaps)].after, size)

    @rule(size=st.integers(min_value=1, max_value=3))
    def look(self, size: int) -> None:
        self.ask_for_a_page(self.reading.confirmed, size)

    def ask_for_a_page(self, after: int, size: int) -> None:
        newer = [number for number in sorted(self.posted_ids) if number > after]
        self.pages.append((after, self.reading.joins, self.reading.reached, len(newer) <= size, newer[:size]))

    @precondition(lambda self: self.pages)
    @rule()
    def take_in_a_page(self) -> None:
        """Late, perhaps, and when another has read the same."""
        after, joins, reached, is_last, page = self.pages.pop(0)
        for number in filter(self.reading.lacks, page):
            self.reading.notice(number, self.session)
            self.told_ids.append(number)
        self.reading.fill_page(after, max(page, default=0), joins=joins, reached=reached, is_last=is_last)

    # the window

    @precondition(lambda self: self.told_ids)
    @rule(which=st.integers(min_value=0, max_value=5))
    def write_the_log(self, which: int) -> None:
        number = self.told_ids.pop(which % len(self.told_ids))
        if number not in self.log:
            self.log.append(number)
        self.confirmations.append(number)

    @precondition(lambda self: self.confirmations)
    @rule(which=st.integers(min_value=0, max_value=5))
    def confirm(self, which: int) -> None:
        self.reading.settle(self.confirmations.pop(which % len(self.confirmations)))

    # the end of a life

    @rule()
    def keep(self) -> None:
        self.watermark = self.reading.watermark()

    @rule()
    def kill(self) -> None:
        self.begin_life()

    # what must be

    @invariant()
    def nothing_below_the_line_is_missing_from_the_log(self) -> None:
        for mark in (self.watermark, self.reading.watermark()):
            for number in self.posted_ids:
                in_gap = any(gap.after < number <= gap.upto for gap in mark.gaps)
                if mark.first < number <= mark.upto and not in_gap:
                    assert number in self.log, (number, mark)

    def teardown(self) -> None:
        self.kill()
        self.connect(True)
        while self.reading.gaps or self.reading.is_in_doubt:
            gaps = self.reading.gaps
            self.ask_for_a_page(gaps[0].after if gaps else self.reading.confirmed, 3)
            self.take_in_a_page()
        while self.told_ids:
            self.write_the_log(0)
        while self.confirmations:
            self.confirm(0)
        expected = [number for number in self.posted_ids if number > self.watermark.first]
        assert sorted(self.log) == sorted(expected)
        assert self.reading.watermark().upto >= max(self.posted_ids, default=self.watermark.upto)
        assert self.reading.watermark().gaps == ()


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=300, stateful_step_count=40, deadline=None)


def test_a_gap_below_what_history_confirms_is_read_in_the_next_life() -> None:
    life = Life()
    life.watermark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=6, gaps=(Gap(3, 6),))
    life.posted_ids, life.log = [3, 8, 9, 10, 15], [3]
    life.teardown()


def reading(upto: int = 10, *gaps: Gap) -> Reading:
    fresh = Reading(Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=upto, gaps=gaps))
    fresh.join(1, upto)
    return fresh


def look(one: Reading, newest: int = 0) -> None:
    """A page of history that ends with `newest`."""
    one.fill_page(one.confirmed, newest, joins=one.joins, reached=one.reached, is_last=True)


@pytest.mark.req("X-201")
def test_an_event_says_nothing_of_what_came_before_it() -> None:
    one = reading()
    one.pass_by(20, 1)
    assert one.watermark().upto == 10
    assert one.lacks(15)
    assert one.is_in_doubt
    look(one, 20)
    assert one.watermark().upto == 20
    assert not one.lacks(15)
    assert not one.is_in_doubt


def test_a_page_without_a_message_says_that_none_is_missing_of_those_that_were_known_when_it_was_asked_for() -> None:
    one = reading()
    one.pass_by(20, 1)
    reached = one.reached
    one.pass_by(30, 1)
    one.fill_page(10, 0, joins=one.joins, reached=reached, is_last=True)
    assert one.watermark().upto == 20


def test_a_page_that_is_not_the_last_confirms_no_more_than_it_holds() -> None:
    one = reading()
    one.pass_by(30, 1)
    one.fill_page(10, 15, joins=one.joins, reached=one.reached, is_last=False)
    assert one.watermark().upto == 15


def test_a_page_from_above_what_is_confirmed_confirms_nothing() -> None:
    one = reading()
    one.pass_by(30, 1)
    one.fill_page(20, 30, joins=one.joins, reached=one.reached, is_last=True)
    assert one.watermark().upto == 10


def test_a_new_session_has_all_read_that_no_page_confirms() -> None:
    one = reading()
    one.pass_by(30, 1)
    one.join(2, 30)
    assert one.gaps == (Gap(10, 30),)
    one.join(3, 35)
    assert one.gaps == (Gap(10, 35),)


def test_what_is_on_its_way_is_not_looked_for() -> None:
    one = reading()
    one.notice(12, 1)
    assert not one.lacks(12)
    one.settle(12)
    assert one.lacks(12)


def test_what_could_not_be_logged_is_looked_for_though_newer_messages_were_logged() -> None:
    one = reading()
    one.notice(12, 1)
    one.notice(15, 1)
    one.settle(15)
    one.fill_page(10, 15, joins=one.joins, reached=15, is_last=True)
    assert not one.is_in_doubt
    one.release(12)
    assert (one.lacks(12), one.is_in_doubt, one.watermark().upto) == (True, True, 11)


def test_what_was_logged_is_not_looked_for_again_when_its_turn_could_not_be_stored() -> None:
    one = reading()
    one.notice(12, 1)
    one.settle(12)
    one.fill_page(10, 12, joins=one.joins, reached=12, is_last=True)
    one.release(12)
    assert (one.lacks(12), one.is_in_doubt) == (False, False)


def test_what_is_given_up_is_not_looked_for() -> None:
    one = reading()
    one.join(2, ENDLESS)
    one.notice(20, 2)
    one.settle(20)
    one.give_up()
    assert (one.gaps, one.watermark().upto) == ((), 20)


def test_what_is_put_off_stays_in_doubt_from_the_first_gap_on() -> None:
    one = reading()
    one.join(2, 20)
    one.notice(25, 2)
    one.settle(25)
    one.put_off()
    assert (one.gaps, one.is_in_doubt, one.lacks(12), one.watermark().upto) == ((), True, True, 10)


def test_a_message_on_its_way_holds_the_line_below_it() -> None:
    one = reading()
    one.notice(12, 1)
    one.notice(15, 1)
    one.settle(15)
    look(one, 15)
    assert one.watermark().upto == 11
    one.settle(12)
    assert one.watermark().upto == 15


def test_a_gap_stays_while_what_comes_after_it_is_logged() -> None:
    one = reading()
    one.join(2, 20)
    one.notice(25, 2)
    one.settle(25)
    assert (one.watermark().upto, one.watermark().gaps) == (10, ())
    assert one.gaps == (Gap(10, 20),)


def test_a_gap_without_an_end_holds_the_line() -> None:
    one = reading()
    one.join(2, ENDLESS)
    one.join(3, ENDLESS)
    one.notice(25, 3)
    one.settle(25)
    assert one.gaps == (Gap(10, ENDLESS),)
    assert (one.watermark().upto, one.watermark().gaps) == (10, ())


def test_how_far_was_read_is_never_without_an_end() -> None:
    """A channel whose newest message is unknown is not read up to the end of time."""
    one = reading()
    one.join(2, ENDLESS)
    assert one.reached == 10
    one.fill(10, ENDLESS)
    assert one.watermark().upto == 10
    one.join(3, 20)
    assert one.reached == 20


def test_what_is_read_is_taken_out_of_the_gaps(subtests: pytest.Subtests) -> None:
    for after, upto, left in [
        (10, 15, (Gap(15, 20), Gap(30, 40))),
        (12, 15, (Gap(10, 12), Gap(15, 20), Gap(30, 40))),
        (12, 35, (Gap(10, 12), Gap(35, 40))),
        (20, 30, (Gap(10, 20), Gap(30, 40))),
        (0, ENDLESS, ()),
    ]:
        with subtests.test(after=after, upto=upto, left=left):
            one = reading(40, Gap(10, 20), Gap(30, 40))
            one.fill(after, upto)
            assert one.gaps == left


def test_a_page_that_was_read_before_a_session_says_nothing_of_what_was_missed_since(subtests: pytest.Subtests) -> None:
    for newest in [20, ENDLESS]:
        with subtests.test(newest=newest):
            one = reading()
            one.join(2, newest)
            joins = one.joins
            one.leave()
            one.join(2, 30)
            one.fill_page(10, 15, joins=joins, reached=0, is_last=True)
            assert one.gaps[0].after == 15
            assert all(one.lacks(number) for number in (16, 25, 30))
            one.fill_page(15, 0, joins=joins, reached=0, is_last=True)
            assert one.gaps[0].after == 15
            one.fill_page(15, 28, joins=one.joins, reached=30, is_last=True)
            assert one.gaps == ()


def test_only_what_is_settled_and_no_parent_may_be_forgotten() -> None:
    changes: list[Callable[[Reading], None]] = [
        lambda one: one.notice(12, 1),
        lambda one: one.join(2, 20),
        lambda one: setattr(one, "first", 3),
        lambda one: one.pass_by(12, 1),
    ]
    assert reading().may_be_forgotten
    for change in changes:
        one = reading()
        change(one)
        assert not one.may_be_forgotten
