"""Store: rounds whole or not at all, versions by number, time and hash, and nothing across windows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.objects.store.audit import audit
from messages.base import Message, RequestId, Surface, Window
from messages.objects import (
    OBJECT_STORE,
    CollectObjects,
    FetchText,
    ListOutputs,
    ListVersions,
    ObjectsCollected,
    OutputsListed,
    RoundStored,
    StoreRound,
    TextFetched,
    VersionsListed,
)
from messages.socket import Refused
from tests.actors.objects.store.rig import OTHER, WINDOW, StoreRig, showing


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[StoreRig]:
    rig = StoreRig(tmp_path)
    yield rig
    rig.stop()
    if rig.path.exists():
        assert audit(rig.path) == []


def test_rounds_come_back_in_their_order_also_in_the_next_life(rig: StoreRig) -> None:
    for number in range(3):
        assert rig.store_round(entries=b"%d" % number).round == number + 1
    rig.live_again()
    loaded = rig.load_objects()
    assert (loaded.last_round, loaded.snapshot, loaded.rounds) == (3, b"", (b"0", b"1", b"2"))
    assert rig.load_objects(OTHER).last_round == 0


def test_a_snapshot_stands_for_the_rounds_until_then(rig: StoreRig) -> None:
    rig.store_round(entries=b"1")
    rig.store_round(entries=b"2", snapshot=b"state")
    rig.store_round(entries=b"3")
    loaded = rig.load_objects()
    assert (loaded.last_round, loaded.snapshot, loaded.rounds) == (3, b"state", (b"3",))


def test_a_round_that_is_asked_for_again_is_kept_once(rig: StoreRig) -> None:
    version = rig.version("f1", "text")
    rig.store_round([version], entries=b"1")
    reply = rig.keep([version], entries=b"1", number=1)
    assert isinstance(reply, RoundStored)
    assert (reply.round, rig.load_objects().rounds) == (1, (b"1",))


def test_an_earlier_round_that_is_asked_for_again_is_kept_once_too(rig: StoreRig) -> None:
    version = rig.version("f1", "text")
    rig.store_round([version], entries=b"1")
    rig.store_round(entries=b"2")
    rig.store_round(entries=b"3")
    for _ in range(2):
        assert isinstance(rig.keep([version], entries=b"1", number=1), RoundStored)
        assert isinstance(rig.keep(entries=b"2", number=2), RoundStored)
        rig.live_again()
    assert rig.load_objects().rounds == (b"1", b"2", b"3")


def test_a_round_is_the_same_whoever_asks_for_it_again(rig: StoreRig) -> None:
    rig.store_round(entries=b"1")
    other = rig.system.edge("other")
    again = StoreRound(request_id=RequestId("again"), reply_to=other.address, window=WINDOW, round=1, entries=b"1")
    rig.system.tell(OBJECT_STORE, again)
    rig.system.run()
    assert isinstance(other.receive(0, lambda _heard: True), RoundStored)


def test_why_an_earlier_round_is_refused_is_said(rig: StoreRig) -> None:
    rig.store_round(entries=b"1")
    rig.store_round(entries=b"2", snapshot=b"state")
    rig.store_round(entries=b"3")
    rig.store_round(entries=b"4")
    for number, why in ((1, "a snapshot stands for that one"), (3, "that one is kept with another content")):
        reply = rig.keep(entries=b"other", number=number)
        assert isinstance(reply, Refused)
        assert reply.reason == f"round {number}: 5 is the next of {WINDOW.address.key}, and {why}"
    assert isinstance(rig.keep(entries=b"4", number=4), RoundStored)


def test_the_round_of_a_snapshot_that_is_asked_for_again_is_kept_once(rig: StoreRig) -> None:
    for _ in range(2):
        assert isinstance(rig.keep(entries=b"1", snapshot=b"state", number=1), RoundStored)
    assert (rig.load_objects().last_round, rig.load_objects().snapshot) == (1, b"state")


def test_a_round_that_is_not_the_next_one_is_refused_and_changes_nothing(
    rig: StoreRig, subtests: pytest.Subtests
) -> None:
    rig.store_round(entries=b"1")
    for number in [1, 3, 9]:
        with subtests.test(number=number):
            reply = rig.keep([rig.version("f1", "text")], entries=b"other", number=number)
            assert isinstance(reply, Refused)
            assert f"round {number}: 2 is the next" in reply.reason
            assert rig.load_objects().rounds == (b"1",)
            assert isinstance(rig.ask(FetchText, window=WINDOW, object="f1"), Refused)


def test_a_round_with_a_row_that_cannot_be_is_kept_not_even_in_part(rig: StoreRig) -> None:
    first, later = rig.version("f1", "one"), rig.version("f1", "three")
    later = msgspec.structs.replace(later, version=msgspec.structs.replace(later.version, no=3))
    reply = rig.keep([first, later])
    assert isinstance(reply, Refused)
    assert "version 3 of f1: 2 is the next one" in reply.reason
    assert rig.load_objects().last_round == 0
    assert isinstance(rig.ask(FetchText, window=WINDOW, object="f1"), Refused)


def test_a_version_that_is_not_later_is_refused(rig: StoreRig) -> None:
    first = rig.version("f1", "one")
    second = rig.version("f1", "two", valid_from=first.version.valid_from)
    assert isinstance(rig.keep([first, second]), Refused)


@pytest.mark.req("S3-03", "S3-13", "S3-14", "S3-15", "S3-25", "X-98")
def test_a_number_a_time_and_a_hash_lead_to_the_same_version(rig: StoreRig) -> None:
    made = [rig.version("f1", text) for text in ("one", "two", "three")]
    rig.store_round(made)
    for new in made:
        version = new.version
        for which in (
            {"no": version.no},
            {"at": version.valid_from},
            {"at": version.valid_from + timedelta(microseconds=999)},
            {"content_hash": version.content_hash},
            {"content_hash": version.content_hash[:8]},
        ):
            reply = rig.answer(TextFetched, FetchText, window=WINDOW, object="f1", **which)
            assert (reply.version, reply.text) == (version, new.text)
    assert rig.text("f1") == "three"
    first = made[0].version
    before = first.valid_from - timedelta(microseconds=1)
    assert "there is no such version" in rig.refusal(FetchText, window=WINDOW, object="f1", at=before)
    by_hash = rig.answer(TextFetched, FetchText, window=WINDOW, object="", content_hash=first.content_hash)
    assert by_hash.version == first


def test_what_is_no_beginning_of_a_hash_is_refused(rig: StoreRig, subtests: pytest.Subtests) -> None:
    rig.store_round([rig.version("f1", "one")])
    for prefix in ["1234567", "x" * 8, "%" * 8, "0" * 65]:
        with subtests.test(prefix=prefix):
            reply = rig.ask(FetchText, window=WINDOW, object="", content_hash=prefix)
            assert isinstance(reply, Refused)


def test_a_beginning_that_several_contents_have_is_refused(rig: StoreRig) -> None:
    texts = ["one", "two"]
    made = [
        rig.version("f1", text, content_hash="abcdef01" + hashlib.sha256(text.encode()).hexdigest()[8:])
        for text in texts
    ]
    rig.store_round(made)
    assert "several contents" in rig.refusal(FetchText, window=WINDOW, object="f1", content_hash="abcdef01")


def test_a_beginning_that_many_versions_and_then_another_content_have_is_refused(rig: StoreRig) -> None:
    other = rig.version("f2", "other", content_hash="abcdef01" + "1" * 56)
    same = [rig.version("f1", "same", content_hash="abcdef01" + "0" * 56) for _ in range(60)]
    rig.store_round([other, *same])
    assert "several contents" in rig.refusal(FetchText, window=WINDOW, object="", content_hash="abcdef01")
    assert rig.text("f1", content_hash="abcdef01") == "same"


def test_of_what_has_a_hash_the_newest_is_given(rig: StoreRig) -> None:
    made = [rig.version("f1", "same"), rig.version("f1", "other"), rig.version("f1", "same")]
    rig.store_round(made)
    digest = made[0].version.content_hash
    found = rig.answer(TextFetched, FetchText, window=WINDOW, object="f1", content_hash=digest)
    assert found.version.no == 3


def test_what_is_no_name_of_a_file_is_refused_and_never_another_file(rig: StoreRig, subtests: pytest.Subtests) -> None:
    rig.store_round([rig.version("f1", "text")], outputs=(rig.output(1),))
    for name in ["t1", "", "f0", "f01", "f", "F1", "1", "f1 ", "f2000000000"]:
        with subtests.test(name=name):
            assert f"object {name!r}" in rig.refusal(FetchText, window=WINDOW, object=name, no=1)
            assert f"object {name!r}" in rig.refusal(ListVersions, window=WINDOW, object=name)
            reply = rig.keep([rig.version(name, "text", no=1)])
            assert isinstance(reply, Refused)
            assert f"object {name!r}" in reply.reason


def test_rows_of_a_round_name_what_they_are_of(rig: StoreRig) -> None:
    for rows in (
        {"outputs": (rig.output(1, object="f1"),)},
        {"outputs": (rig.output(1, alias="t1", alias_no=1),)},
        {"showings": (showing("x1", 1, "e1", rig),)},
    ):
        assert isinstance(rig.keep(**rows), Refused)
    assert rig.load_objects().last_round == 0


@pytest.mark.parametrize("status", ["text", "large"])
def test_a_version_with_the_content_of_the_one_before_has_its_text(rig: StoreRig, status: str) -> None:
    first = rig.version("f1", "text", status=status)
    digest = first.version.content_hash
    rig.store_round([first, rig.version("f1", None, status=status, content_hash=digest, path="moved.txt")])
    rig.store_round([rig.version("f1", None, status=status, content_hash=digest, path="again.txt")])
    rig.clock.advance(100 * 86_400)
    assert rig.answer(ObjectsCollected, CollectObjects, keep_days=0).texts == 0
    assert [rig.text("f1", no=number) for number in (1, 2, 3)] == ["text"] * 3


def test_a_version_of_another_content_or_status_has_no_text_of_the_one_before(rig: StoreRig) -> None:
    first = rig.version("f1", "text")
    digest = first.version.content_hash
    rig.store_round([first, rig.version("f1", None, status="missing", content_hash=digest)])
    rig.store_round([rig.version("f2", "text"), rig.version("f2", None, status="text", content_hash="0" * 64)])
    assert [rig.text("f1"), rig.text("f2"), rig.text("f1", no=1)] == [None, None, "text"]


def test_nothing_is_given_to_another_window_not_even_by_its_hash(rig: StoreRig) -> None:
    version = rig.version("f1", "secret")
    rig.store_round([version], outputs=(rig.output(1),))
    digest = version.version.content_hash
    assert isinstance(rig.ask(FetchText, window=OTHER, object="", content_hash=digest), Refused)
    assert isinstance(rig.ask(FetchText, window=OTHER, object="f1", no=1), Refused)
    assert isinstance(rig.ask(ListVersions, window=OTHER, object="f1"), Refused)
    assert rig.answer(OutputsListed, ListOutputs, window=OTHER).outputs == ()
    rig.store_round([rig.version("f1", "other", OTHER)], OTHER)
    assert isinstance(rig.ask(FetchText, window=OTHER, object="", content_hash=digest), Refused)
    assert rig.text("f1", OTHER) == "other"


def test_a_file_has_a_history_piece_by_piece(rig: StoreRig) -> None:
    made = [rig.version("f1", f"text {number}") for number in range(205)]
    places = ((2, "e1"), (2, "e2"), (203, "e3"))
    rig.store_round(made, showings=tuple(showing("f1", no, place, rig) for no, place in places))
    first = rig.answer(VersionsListed, ListVersions, window=WINDOW, object="f1")
    assert [version.no for version in first.versions] == list(range(1, 201))
    assert (first.is_all, first.shown, first.kept[:3]) == (False, ((2, 2),), (1, 2, 3))
    rest = rig.answer(VersionsListed, ListVersions, window=WINDOW, object="f1", after=200)
    assert (len(rest.versions), rest.is_all, rest.shown) == (5, True, ((203, 1),))


def test_outputs_come_back_as_they_were(rig: StoreRig) -> None:
    made = (rig.output(1, exit_code=None, outcome="aborted"), rig.output(2, alias="f1", alias_no=3))
    rig.store_round(outputs=made)
    assert rig.answer(OutputsListed, ListOutputs, window=WINDOW).outputs == made
    assert rig.answer(OutputsListed, ListOutputs, window=WINDOW, after=1).outputs == made[1:]
    assert rig.answer(OutputsListed, ListOutputs, window=WINDOW, only=1).outputs == made[:1]


def test_a_file_of_which_only_the_name_was_known_gets_its_content_under_the_same_number(rig: StoreRig) -> None:
    unread = rig.version("f1", None, status="unread", content_hash="")
    rig.store_round([unread])
    rig.store_round([rig.version("f1", "text", no=1)])
    assert rig.text("f1", no=1) == "text"
    again = rig.keep([rig.version("f1", "other", no=1)])
    assert isinstance(again, Refused)
    assert rig.text("f1") == "text"
    rig.store_round([rig.version("f1", "other", no=2)])
    assert [rig.text("f1", no=number) for number in (1, 2)] == ["text", "other"]


@pytest.mark.parametrize("status", ["unread", "missing", "binary"])
def test_what_has_no_text_is_refused_with_one(rig: StoreRig, status: str) -> None:
    reply = rig.keep([rig.version("f1", "text", status=status)])
    assert isinstance(reply, Refused)
    assert reply.reason == f"version 1 of f1: what is {status} has no text, text and large have"


def test_outputs_come_piece_by_piece(rig: StoreRig) -> None:
    made = tuple(rig.output(number) for number in range(1, 202))
    rig.store_round(outputs=made)
    listed = rig.answer(OutputsListed, ListOutputs, window=WINDOW)
    assert (listed.outputs, listed.is_all) == (made[:200], False)
    rest = rig.answer(OutputsListed, ListOutputs, window=WINDOW, after=200)
    assert (rest.outputs, rest.is_all) == (made[200:], True)


def test_a_version_without_a_text_has_none(rig: StoreRig) -> None:
    rig.store_round([rig.version("f1", None)])
    assert rig.text("f1") is None


def test_a_text_that_is_too_long_is_refused(tmp_path: Path) -> None:
    rig = StoreRig(tmp_path, version_bytes=10)
    reply = rig.keep([rig.version("f1", "x" * 11)])
    assert isinstance(reply, Refused)
    assert "11 bytes, at most 10" in reply.reason
    assert rig.load_objects().last_round == 0
    rig.stop()


def test_without_a_data_root_everything_is_kept_until_the_end() -> None:
    rig = StoreRig(None)
    rig.store_round([rig.version("f1", "text")])
    assert rig.text("f1") == "text"
    rig.live_again()
    assert rig.load_objects().last_round == 0
    rig.stop()


NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001 what is tested is that it is refused


FLAWED: list[tuple[type[Message], dict[str, Any]]] = [
    (StoreRound, {"round": 0, "entries": b""}),
    (StoreRound, {"round": 1, "entries": "text"}),
    (StoreRound, {"round": 10**10, "entries": b""}),
    (FetchText, {"object": "f1", "no": "one"}),
    (FetchText, {"object": "f1", "no": 2**70}),
    (FetchText, {"object": "f1", "at": NAIVE}),
    (ListVersions, {"object": "f1", "after": 2**63}),
    (ListOutputs, {"only": -1}),
    (CollectObjects, {"keep_days": -1}),
]


def test_a_message_with_a_flaw_is_refused(rig: StoreRig, subtests: pytest.Subtests) -> None:
    rig.store_round()
    for kind, fields in FLAWED:
        with subtests.test(kind=kind, fields=fields):
            window = {} if kind is CollectObjects else {"window": WINDOW}
            assert rig.refusal(kind, **window, **fields).startswith(f"{kind.__name__}: ")


def test_a_version_with_a_flaw_is_refused(rig: StoreRig, subtests: pytest.Subtests) -> None:
    flaws: list[dict[str, Any]] = [{"valid_from": NAIVE}, {"size": 2**63}, {"no": 0}, {"path": "\udcff"}]
    for fields in flaws:
        with subtests.test(fields=fields):
            reply = rig.keep([rig.version("f1", "text", **fields)])
            assert isinstance(reply, Refused)
            assert reply.reason.startswith("StoreRound: ")
            assert rig.load_objects().last_round == 0


def test_a_text_that_is_no_unicode_is_refused(rig: StoreRig) -> None:
    new = msgspec.structs.replace(rig.version("f1", "text"), text="\ud800")
    assert isinstance(rig.keep([new]), Refused)
    stranger = Window(surface=Surface.CLI, id="\udcff")
    assert isinstance(rig.ask(FetchText, window=stranger, object="f1"), Refused)
    rig.store_round()
