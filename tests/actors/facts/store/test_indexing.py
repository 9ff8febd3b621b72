from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import pytest

from actors.facts.asking import Asking
from actors.facts.config import FactsConfig
from actors.facts.store.catalogue import Catalogue, Item
from actors.facts.store.indexing import EMBED_S, Indexing
from actors.kernel import MakeQuestion, Then
from messages.base import Address, Message, RequestId, request_id_of
from messages.embedder import EmbedTexts, TextsEmbedded
from messages.facts import ChangeRows, EntryRole, IndexRow, RowsChanged
from messages.socket import Refused
from tests.actors.facts.rig import FactsRig

AT = datetime(2026, 11, 26, tzinfo=UTC)


class Desk:
    """The actor that asks for the indexing, whose questions a test answers when it wants."""

    address = Address("facts")

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self._numbers = count(1)
        self._then: dict[RequestId, Then] = {}
        self.catalogue = Catalogue()
        host: Any = self
        self.asking = Asking(host)
        self.indexing = Indexing(self.asking, FactsConfig(root=Path("none"), api_base="http://x"), self.catalogue)

    def ask(self, _to: Address, make: MakeQuestion, _deadline_s: float, then: Then) -> None:
        message = make(request_id=RequestId(f"q{next(self._numbers)}"), reply_to=self.address)
        self._then[request_id_of(message)] = then
        self.asked.append(message)

    def answer(self, message: Message) -> None:
        """Give an answer to its continuation."""
        self._then.pop(request_id_of(message))(message)

    def entry(self, content: str) -> IndexRow:
        """The only entry, with its present text."""
        self.catalogue.put(Item("f1", "c/facts/f1.md", content, "c", EntryRole.MEMORY, AT))
        return IndexRow(
            id="f1",
            path="c/facts/f1.md",
            digest=content,
            conversation="c",
            role=EntryRole.MEMORY,
            created_at=AT,
            content=content,
        )

    def next_asked(self, kind: type[Message]) -> Any:
        """The oldest question of a kind that has no answer."""
        return self.asked.pop(next(place for place, each in enumerate(self.asked) if isinstance(each, kind)))

    def refuse(self, question: Any) -> None:
        self.answer(Refused(request_id=question.request_id, reason="the index is locked"))

    def embed(self, question: Any, vector: bytes = b"vector") -> None:
        """Answer with a vector for each text; with none the embedder has failed."""
        if not vector:
            self.refuse(question)
            return
        vectors = tuple(vector for _ in question.texts)
        self.answer(TextsEmbedded(request_id=RequestId(question.request_id), model="m/2", vectors=vectors))

    def put_at_last(self) -> Iterable[tuple[str, bytes]]:
        """Content of the index, once it accepts every row."""
        held: dict[str, tuple[str, bytes]] = {}
        self.indexing.go_on()
        while any(isinstance(each, ChangeRows) for each in self.asked):
            change = self.next_asked(ChangeRows)
            held |= {row.id: (row.content, row.vector) for row in change.put}
            for gone in change.drop:
                held.pop(gone, None)
            self.answer(RowsChanged(request_id=change.request_id))
        return held.values()


@pytest.mark.parametrize("vector", [b"vector", b""])
def test_what_the_index_refused_is_not_told_once_the_entry_has_other_words(vector: bytes) -> None:
    desk = Desk()
    desk.indexing.put_as_is(desk.entry("I like tea"), "")
    desk.indexing.put(desk.entry("I like coffee"))
    desk.refuse(desk.next_asked(ChangeRows))
    desk.embed(desk.next_asked(EmbedTexts), vector)

    assert list(desk.put_at_last()) == [("I like coffee", vector)]


@pytest.mark.parametrize("vector", [b"vector", b""])
def test_a_drop_that_the_index_refused_is_not_told_once_the_entry_is_there_again(vector: bytes) -> None:
    desk = Desk()
    desk.catalogue.drop("f1")
    desk.indexing.drop("f1")
    desk.indexing.put(desk.entry("I like tea"))
    desk.refuse(desk.next_asked(ChangeRows))
    desk.embed(desk.next_asked(EmbedTexts), vector)

    assert list(desk.put_at_last()) == [("I like tea", vector)]


def test_a_vector_that_is_made_while_the_index_refuses_its_entry_is_not_lost() -> None:
    desk = Desk()
    row = desk.entry("I like tea")
    desk.indexing.read = lambda _: row
    desk.indexing.put_as_is(row, "")
    desk.indexing.embed_anew(["f1"])
    desk.refuse(desk.next_asked(ChangeRows))
    desk.embed(desk.next_asked(EmbedTexts))

    assert list(desk.put_at_last()) == [("I like tea", b"vector")]


def test_the_embedder_drops_a_request_when_the_facts_stop_waiting_for_it() -> None:
    desk = Desk()
    desk.indexing.put(desk.entry("I like tea"))

    assert desk.next_asked(EmbedTexts).deadline_s == EMBED_S


@pytest.mark.parametrize("is_embedder_down", [False, True])
def test_any_number_of_files_without_news_are_looked_at_one_after_another(is_embedder_down: bool) -> None:
    desk, seen = Desk(), list[str]()
    if is_embedder_down:
        desk.indexing.put(desk.entry("I like tea"))
        desk.refuse(desk.next_asked(EmbedTexts))
        desk.put_at_last()
    desk.indexing.look = seen.append
    paths = [f"c/facts/{number}.md" for number in range(20_000)]
    desk.indexing.look_at(paths)

    assert seen == paths


@pytest.fixture
def rig(tmp_path: Path) -> FactsRig:
    return FactsRig(tmp_path / "data")


def lock_index(rig: FactsRig, mode: str = "normal") -> apsw.Connection:
    """Another program that writes to the index; in the mode `exclusive` it also keeps readers out."""
    other = apsw.Connection(str(rig.root / "facts" / "index.sqlite"))
    list(other.execute(f"PRAGMA locking_mode = {mode}"))
    list(other.execute("BEGIN EXCLUSIVE"))
    return other


def test_an_index_that_cannot_be_asked_at_the_start_is_asked_again_and_nothing_is_embedded_again(rig: FactsRig) -> None:
    for number in range(5):
        rig.add(f"The user has {number} cats")
    rig.stop()
    rig.embedder.asked.clear()
    other = lock_index(rig, "exclusive")
    rig.start()
    assert rig.figures()["state"] == "in trouble"
    assert rig.embedder.texts == []

    other.close()
    rig.wait(6)
    assert rig.figures()["state"] == "ready"
    assert rig.embedder.texts == []
    assert rig.recall("The user has cats").hits


def test_an_index_that_is_locked_hears_of_entries_later_and_the_trouble_is_over(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    other = lock_index(rig)
    rig.add("The user has a dog")
    rig.system.run()
    assert "index" in rig.figures()["trouble"]

    other.close()
    for _ in range(3):
        rig.wait(31)
    assert rig.figures()["trouble"] == "none"
    assert {hit.content for hit in rig.recall("The user has a").hits} == {"The user has a cat", "The user has a dog"}


def test_an_embedder_that_is_down_leaves_entries_known_and_gives_them_vectors_later(rig: FactsRig) -> None:
    rig.embedder.failure = "down"
    rig.add("The user has a cat")
    rig.system.run()
    assert "down" in rig.figures()["trouble"]
    assert rig.figures()["entries"] == 1

    rig.embedder.failure = ""
    rig.wait(31)
    assert rig.figures()["trouble"] == "none"
    assert [hit.content for hit in rig.recall("The user has a").hits] == ["The user has a cat"]


def test_an_entry_that_is_put_off_is_known_and_asked_for_again_when_the_embedder_says_so(rig: FactsRig) -> None:
    rig.embedder.bad, rig.embedder.again_s = "hemlock", 180.0
    rig.add("The user has a cat")
    rig.add("The user has hemlock")
    rig.system.run()
    assert rig.figures()["trouble"] == "none"
    assert rig.figures()["to_be_indexed"] == 1
    rig.wait(120)
    assert sum("hemlock" in text for text in rig.embedder.texts) == 1
    rig.wait(61)
    assert sum("hemlock" in text for text in rig.embedder.texts) == 2

    rig.embedder.bad = ""
    rig.wait(181)
    assert rig.figures()["to_be_indexed"] == 0
    assert {hit.content for hit in rig.recall("The user has a").hits} == {"The user has a cat", "The user has hemlock"}


@pytest.mark.req("X-202")
def test_an_entry_that_is_set_aside_is_asked_for_once_in_a_life_and_again_at_the_next_start(rig: FactsRig) -> None:
    rig.embedder.bad = "hemlock"
    rig.add("The user has a cat")
    rig.add("The user has hemlock")
    for _ in range(20):
        rig.wait(901)
    assert rig.figures()["trouble"] == "none"
    assert rig.figures()["to_be_indexed"] == 0
    assert [text for text in rig.embedder.texts if "hemlock" in text] == ["The user has hemlock"]
    assert {hit.content for hit in rig.recall("The user has a").hits} == {"The user has a cat"}

    rig.embedder.bad = ""
    rig.live_again()
    assert {hit.content for hit in rig.recall("The user has a").hits} == {"The user has a cat", "The user has hemlock"}
