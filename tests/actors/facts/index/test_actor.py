"""Messages to the index, and its answers without trouble."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from actors.facts.index.actor import FactIndexActor
from actors.kernel import NotUnderstoodError
from messages.facts import ChangeRows, EntryRole, FetchRows, FindRows, IndexBegun
from messages.status import DescribeYourself, SelfDescription
from tests.actors.facts.index.rig import AT, MODEL, IndexRig, later, row, unit

X, Y = unit(1, 0, 0), unit(0, 1, 0)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[IndexRig]:
    rig = IndexRig(tmp_path)
    yield rig
    rig.stop()


@pytest.mark.req("S2-12", "S2-31", "S2-33")
def test_a_row_comes_back_with_all_that_its_file_says_of_it(rig: IndexRig) -> None:
    rig.put(row("a", X, summary_kind="L3", replaced_by="b"))
    rig.live_again()

    (known,) = rig.known_rows().values()
    assert (known.id, known.path, known.digest) == ("a", "entries/c/facts/a.md", "digest of a")
    assert (known.conversation, known.role, known.created_at, known.summary_kind) == ("c", EntryRole.MEMORY, AT, "L3")
    assert known.model == MODEL
    assert rig.content("a", "unknown") == ["content of a"]


@pytest.mark.req("S2-30", "S2-39", "S2-40")
def test_each_scope_is_searched_on_its_own(rig: IndexRig) -> None:
    rig.put(*(row(f"c{n}", unit(1, n / 10, 0)) for n in range(5)))
    rig.put(*(row(f"g{n}", unit(1, n / 10, 0), conversation="global") for n in range(5)))
    rig.put(row("o", X, conversation="other"))

    assert rig.names(X, scopes=("c", "global"), per_scope=2) == ["c0", "c1", "g0", "g1"]


@pytest.mark.req("S2-41", "S2-12")
def test_only_the_roles_that_are_asked_for_are_found(rig: IndexRig) -> None:
    rig.put(row("fact", X), row("turn", X, role=EntryRole.USER), row("summary", X, role=EntryRole.SUMMARY))

    assert rig.names(X, roles=(EntryRole.MEMORY, EntryRole.USER)) == ["fact", "turn"]
    assert rig.names(X, roles=()) == []


def test_what_is_to_be_left_out_takes_no_place(rig: IndexRig) -> None:
    rig.put(*(row(str(n), unit(1, n / 10, 0)) for n in range(9)))

    assert rig.names(X, per_scope=2, without=("0", "1", "2")) == ["3", "4"]


def test_of_equals_the_newer_is_found_first(rig: IndexRig) -> None:
    rig.put(*(row(f"{n:02}", X, created_at=later(n)) for n in range(30)))

    assert rig.names(X, per_scope=3) == ["29", "28", "27"]


def test_a_found_row_has_what_is_needed_to_judge_it(rig: IndexRig) -> None:
    rig.put(row("a", unit(1, 1, 0)))

    (found,) = rig.find(X)
    assert (found.content, found.created_at, found.vector) == ("content of a", AT, unit(1, 1, 0))
    assert found.cosine == pytest.approx(2**-0.5)


@pytest.mark.req("S2-32")
def test_vectors_of_another_model_or_size_are_passed_over(rig: IndexRig) -> None:
    rig.put(row("a", X))
    rig.put(row("b", X), model="openai/other/3")
    rig.put(row("c", unit(1, 0)))

    assert rig.names(X) == ["a"]
    assert rig.names(unit(1, 0)) == ["c"]
    assert {each.id: each.model for each in rig.known_rows().values()} == {
        "a": MODEL,
        "b": "openai/other/3",
        "c": MODEL,
    }


def test_a_row_without_a_vector_keeps_that_of_the_same_words(rig: IndexRig) -> None:
    rig.put(row("a", X), row("b", Y))
    rig.put(row("a", path="moved.md"), row("b", content="other"))

    assert rig.names(X) == ["a"]
    assert {each.id: (each.path, each.model) for each in rig.known_rows().values()} == {
        "a": ("moved.md", MODEL),
        "b": ("entries/c/facts/b.md", ""),
    }
    rig.put(row("a", digest="named no model"), model="")
    assert rig.known_rows()["a"].model == MODEL
    rig.put(row("a"), model="openai/other/3")
    assert rig.known_rows()["a"].model == ""


def test_a_row_takes_the_place_of_the_one_at_its_path(rig: IndexRig) -> None:
    rig.put(row("a", X))
    rig.put(row("b", X, path="entries/c/facts/a.md"))

    assert rig.names(X) == ["b"]


@pytest.mark.req("S2-66")
def test_a_dropped_row_is_found_no_more(rig: IndexRig) -> None:
    rig.put(row("a", X), row("b", X))
    assert rig.names(X) == ["a", "b"]
    rig.put(drop=("a", "unknown"))

    assert rig.names(X) == ["b"]
    assert rig.content("a") == []


@pytest.mark.parametrize(
    ("vector", "words"),
    [
        (b"abc", "multiple of 4"),
        (unit(1, 0, 0) * 2, "length 1.41421"),
        (b"\0" * 12, "length 0"),
        (np.float32("nan").tobytes(), "length nan"),
        (np.float32("inf").tobytes(), "length inf"),
    ],
)
def test_a_vector_that_is_none_is_refused_by_name_and_nothing_is_kept(rig: IndexRig, vector: bytes, words: str) -> None:
    reason = rig.refusal(ChangeRows, model=MODEL, put=(row("good", X), row("bad", vector)))

    assert "'bad'" in reason
    assert words in reason
    assert rig.known_rows() == {}
    question = rig.refusal(FindRows, model=MODEL, vector=vector, scopes=("c",), roles=tuple(EntryRole), per_scope=1)
    assert "the question's vector" in question
    assert words in question


def test_a_question_without_a_vector_is_refused(rig: IndexRig) -> None:
    reason = rig.refusal(FindRows, model=MODEL, vector=b"", scopes=("c",), roles=tuple(EntryRole), per_scope=1)

    assert "0 bytes" in reason


def test_a_vector_without_its_space_is_refused_by_name(rig: IndexRig) -> None:
    assert "'a'" in rig.refusal(ChangeRows, model="", put=(row("a", X),))
    assert rig.known_rows() == {}


@pytest.mark.parametrize("zone", [None, timezone(timedelta(hours=5))])
def test_a_time_that_is_not_utc_is_refused_by_name(rig: IndexRig, zone: timezone | None) -> None:
    at = datetime(1, 1, 1, tzinfo=zone)

    reason = rig.refusal(ChangeRows, model="", put=(row("a", created_at=at),))
    assert "row 'a': created_at is 0001-01-01 00:00:00" in reason
    assert rig.known_rows() == {}


def test_what_is_not_unicode_is_refused_and_the_whole_change_with_it(rig: IndexRig) -> None:
    half = "half \ud83d"
    for changed in ({"content": half}, {"path": half}, {"conversation": half}):
        assert "not Unicode" in rig.refusal(ChangeRows, model=MODEL, put=(row("a", X), row("b", X, **changed)))
    assert "not Unicode" in rig.refusal(FetchRows, ids=(half,))
    scopes, roles = (half,), tuple(EntryRole)
    assert "not Unicode" in rig.refusal(FindRows, model=MODEL, vector=X, scopes=scopes, roles=roles, per_scope=1)
    assert rig.known_rows() == {}
    assert rig.names(X) == []


@pytest.mark.parametrize(
    "at", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC), AT + timedelta(microseconds=1)]
)
def test_a_time_comes_back_to_the_microsecond(rig: IndexRig, at: datetime) -> None:
    rig.put(row("a", X, created_at=at))

    assert rig.known_rows()["a"].created_at == at
    assert [(each.created_at, each.created_at.tzinfo) for each in rig.find(X)] == [(at, UTC)]


def test_texts_of_any_kind_come_back_as_they_were(rig: IndexRig) -> None:
    texts = ("", "\0nul\0", "'; DROP TABLE entries; --", "\r\n\u2028", "\U0001f980" * 1_000, "x" * 200_000)
    rig.put(*(row(f"id {text[:9]}", X, content=text, conversation=text[:500]) for text in texts))
    rig.live_again()

    assert rig.content(*(f"id {text[:9]}" for text in texts)) == list(texts)
    for text in texts:
        assert [each.content for each in rig.find(X, scopes=(text[:500],))] == [text]


def test_rows_are_fetched_in_the_order_that_was_asked_for(rig: IndexRig) -> None:
    rig.put(row("a"), row("b"), row("c"))

    assert rig.content("c", "unknown", "a", "c") == ["content of c", "content of a", "content of c"]


@pytest.mark.req("S2-30")
def test_what_stands_twice_in_one_change_is_there_once_as_it_was_last(rig: IndexRig) -> None:
    assert rig.names(X, scopes=("c", "other")) == []  # both conversations are in memory now
    rig.put(row("a", X), row("a", X, conversation="other"), row("b", X), row("d", Y, path="entries/c/facts/b.md"))

    assert rig.names(X, scopes=("c", "other")) == ["d", "a"]
    assert [each.conversation for each in rig.find(X, scopes=("c", "other"))] == ["c", "other"]


def test_a_change_drops_before_it_puts(rig: IndexRig) -> None:
    rig.put(row("a", X), row("b", Y))
    rig.put(row("a", Y), row("b"), drop=("a", "b"))

    assert [(each.id, each.vector) for each in rig.find(X)] == [("a", Y)]
    assert rig.known_rows()["b"].model == ""


def test_a_row_that_moves_to_another_conversation_is_found_there_only(rig: IndexRig) -> None:
    rig.put(row("a", X), row("b", X))
    assert rig.names(X, scopes=("c", "other")) == ["a", "b"]
    rig.put(row("a", conversation="other"))

    assert rig.names(X) == ["b"]
    assert rig.names(X, scopes=("other",)) == ["a"]


def test_a_message_that_is_malformed_is_refused(rig: IndexRig) -> None:
    assert "per_scope" in rig.refusal(FindRows, model=MODEL, vector=X, scopes=("c",), roles=(), per_scope=0)


def test_what_nobody_knows_ends_in_its_own_way(rig: IndexRig) -> None:
    actor = FactIndexActor(None)
    with pytest.raises(NotUnderstoodError):
        actor.handle(IndexBegun())  # type: ignore[arg-type]


def test_it_says_how_much_there_is(rig: IndexRig) -> None:
    rig.put(row("a", X), row("b"), row("summary", role=EntryRole.SUMMARY))
    told = rig.answer(SelfDescription, DescribeYourself)

    assert dict(told.figures) == {"state": "ready"}
    assert dict(told.operator_figures) == {
        "rows": 3,
        "without_vector": 1,
        "vectors_in_memory_bytes": 0,
        "trouble": "none",
    }
    rig.names(X)
    told = rig.answer(SelfDescription, DescribeYourself)
    assert int(dict(told.operator_figures)["vectors_in_memory_bytes"]) >= len(X)


def test_a_moment_after_a_change_the_wal_is_empty(rig: IndexRig) -> None:
    rig.put(row("a", X, content="word " * 3_000))
    wal = rig.path.with_name(f"{rig.path.name}-wal")
    rig.clock.advance(1.5)
    rig.system.run()
    rig.put(row("b", X))
    rig.clock.advance(1.5)
    rig.system.run()
    assert wal.stat().st_size > 0
    rig.clock.advance(0.6)
    rig.system.run()

    assert wal.stat().st_size == 0
    assert rig.names(X) == ["a", "b"]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_what_is_forgotten_is_overwritten(rig: IndexRig, *, is_replaced: bool) -> None:
    rig.put(row("a", X, content="zanzibar " * 2_000), row("b", X))
    if is_replaced:
        rig.put(row("a", X, content="other"))
    else:
        rig.put(drop=("a",))
    rig.clock.advance(3.0)
    rig.system.run()

    for path in rig.path.parent.iterdir():
        assert b"zanzibar" not in path.read_bytes(), path


def test_its_folder_and_file_are_nobody_elses(rig: IndexRig) -> None:
    rig.put(row("a", X))

    assert rig.path.parent.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in rig.path.parent.iterdir()} == {0o600}
