"""A look for needles passes over no log that holds a text, in whatever form the log stores it."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from domain.log.event import Event, Kind
from domain.log.format import encode_event
from domain.log.metadata import meta_json
from domain.policy.forgetting.repeatable import is_repeatable
from domain.turn.forgetting.needles import Needles, OutputRepetitions
from messages.base import EventId

AT = datetime(2026, 11, 29, tzinfo=UTC)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
many = st.lists(st.text("abcdefghij klmnoö", min_size=12, max_size=20), min_size=20, max_size=40)


def record(content: str, quoted: str = "") -> bytes:
    meta = meta_json({"quote": {"text": quoted}}) if quoted else "{}"
    event = Event(id=EventId("e7f3k2"), at=AT, kind=Kind.USER, content=content, meta_json=meta)
    return encode_event(event, "")[0]


@given(words, words, words, st.booleans(), st.lists(words, max_size=40))
def test_no_text_is_missed_in_a_content_or_a_quotation(
    before: str, text: str, after: str, is_quoted: bool, others: list[str]
) -> None:
    whole = before + text + after
    data = record("nothing", whole) if is_quoted else record(whole)
    assert Needles([text, *others]).are_in(data)


@given(many, st.data())
def test_of_many_texts_each_is_found_at_any_place(texts: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(texts))
    shift = data.draw(st.integers(0, 17))
    assert Needles(texts).are_in(b"x" * shift + text.encode())
    assert Needles(texts).are_in(record("nothing", text))


def test_what_holds_none_of_many_texts_is_passed_over() -> None:
    texts = [f"the heron number {number}" for number in range(100)]
    assert not Needles(texts).are_in(record("the heron number one"))
    assert not Needles(texts).are_in(b"")
    assert not Needles(["a heron"]).are_in(record("an owl"))


@given(words, st.text(st.characters(exclude_categories=["Cs"]), min_size=18, max_size=60), words, st.booleans())
def test_an_output_that_shows_a_log_repeats_the_texts_in_it(
    before: str, text: str, after: str, is_quoted: bool
) -> None:
    text = text.strip()
    whole = f"{before} {text} {after}"
    shown = record("nothing", whole) if is_quoted else whole.encode()
    assert OutputRepetitions([text]).are_in(shown) == is_repeatable(text)
    assert not OutputRepetitions([text]).are_in(b"")


def test_an_output_with_a_piece_too_short_to_be_no_accident_repeats_nothing() -> None:
    text = "no - yes - no - yes - no - yes"
    assert not OutputRepetitions([text]).are_in(b"no, yes, no")
    assert OutputRepetitions([text, "an owl in the attic of the mill"]).are_in(f"so: {text}!".encode())
    assert OutputRepetitions([text, "an owl in the attic of the mill"]).are_in(b"an owl in the attic of the mill")
    assert not OutputRepetitions([]).are_in(b"anything")
