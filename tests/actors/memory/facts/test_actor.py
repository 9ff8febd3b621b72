from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messages.facts import ChangeRows, EntryRole, FindRows, IndexBegun, LoadRows
from messages.status import DescribeYourself, SelfDescription
from tests.actors.memory.facts.rig import AT, MODEL, IndexRig, later, row, unit

X, Y, Z = unit(1, 0, 0), unit(0, 1, 0), unit(0, 0, 1)


@pytest.fixture
def rig(tmp_path: Path) -> IndexRig:
    return IndexRig(tmp_path)


@pytest.mark.req("S2-12", "S2-31", "S2-33")
def test_a_row_comes_back_with_all_that_its_file_says_of_it(rig: IndexRig) -> None:
    rig.put(row("a", X, summary_kind="L3", replaced_by="b"))
    rig.live_again()

    (known,) = rig.known().values()
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
    assert {each.id: each.model for each in rig.known().values()} == {"a": MODEL, "b": "openai/other/3", "c": MODEL}


def test_a_row_without_a_vector_keeps_that_of_the_same_words(rig: IndexRig) -> None:
    rig.put(row("a", X), row("b", Y))
    rig.put(row("a", path="moved.md"), row("b", content="other"))

    assert rig.names(X) == ["a"]
    assert {each.id: (each.path, each.model) for each in rig.known().values()} == {
        "a": ("moved.md", MODEL),
        "b": ("entries/c/facts/b.md", ""),
    }


def test_a_row_takes_the_place_of_the_one_at_its_path(rig: IndexRig) -> None:
    rig.put(row("a", X))
    rig.put(row("b", X, path="entries/c/facts/a.md"))

    assert rig.names(X) == ["b"]


@pytest.mark.req("S2-66")
def test_a_dropped_row_is_found_no_more(rig: IndexRig) -> None:
    rig.put(row("a", X), row("b", X))
    assert rig.names(X) == ["b", "a"] or rig.names(X) == ["a", "b"]
    rig.put(drop=("a", "unknown"))

    assert rig.names(X) == ["b"]


@pytest.mark.parametrize(
    ("vector", "words"),
    [(b"abc", "multiple of 4"), (unit(1, 0, 0) * 2, "length"), (np.float32("nan").tobytes(), "length")],
)
def test_a_vector_that_is_none_is_refused_by_name_and_nothing_is_kept(rig: IndexRig, vector: bytes, words: str) -> None:
    reason = rig.refusal(ChangeRows, model=MODEL, put=(row("good", X), row("bad", vector)))

    assert "'bad'" in reason
    assert words in reason
    assert rig.known() == {}


def test_a_question_without_a_vector_is_refused(rig: IndexRig) -> None:
    reason = rig.refusal(FindRows, model=MODEL, vector=b"", scopes=("c",), roles=tuple(EntryRole), per_scope=1)

    assert "0 bytes" in reason


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("put"), st.integers(0, 12), st.integers(0, 7), st.sampled_from("cg")),
            st.tuples(st.just("drop"), st.integers(0, 12), st.just(0), st.just("c")),
            st.tuples(st.just("find"), st.integers(1, 6), st.integers(0, 7), st.sampled_from("cg")),
        ),
        max_size=40,
    )
)
def test_what_is_found_is_what_a_comparison_with_all_finds(steps: list[tuple[str, int, int, str]]) -> None:
    rig, rows = IndexRig(None), dict[str, Any]()
    vectors = [unit(1, n * 0.37, (n * n) % 5 * 0.21) for n in range(8)]
    for what, number, vector, scope in steps:
        if what == "put":
            new = row(str(number), vectors[vector], conversation=scope, created_at=later(number))
            rows[new.id] = new
            rig.put(new)
        elif what == "drop":
            rows.pop(str(number), None)
            rig.put(drop=(str(number),))
        else:
            question = np.frombuffer(vectors[vector], dtype="<f4")
            scored = [
                (-float(np.frombuffer(each.vector, dtype="<f4") @ question), -each.created_at.timestamp(), each.id)
                for each in rows.values()
                if each.conversation == scope
            ]
            wanted = [name for _, _, name in sorted((round(score, 5), at, name) for score, at, name in scored)]
            assert rig.names(vectors[vector], scopes=(scope,), per_scope=number) == wanted[:number]
    rig.stop()


def test_a_damaged_file_is_moved_aside_and_the_facts_are_told(rig: IndexRig) -> None:
    rig.put(row("a", X))
    rig.stop()
    rig.path.write_bytes(b"no database" * 1_000)
    rig.start()

    assert rig.known() == {}
    assert [path.name for path in rig.path.parent.glob("*.sqlite*damaged*")] or len(
        list(rig.path.parent.iterdir())
    ) >= 2


def test_a_file_that_goes_is_begun_anew_and_the_facts_are_told(rig: IndexRig) -> None:
    rig.put(row("a", X))
    rig.path.unlink()

    assert rig.known() == {}
    rig.system.run()
    assert rig.told == [IndexBegun()]


def test_a_file_of_another_version_is_begun_anew(rig: IndexRig) -> None:
    rig.put(row("a", X))
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("PRAGMA user_version = 99"))
    connection.close()
    rig.start()

    assert rig.known() == {}


def test_a_locked_file_is_refused_with_the_reason_and_tried_again(rig: IndexRig) -> None:
    rig.put(row("a", X))
    other = apsw.Connection(str(rig.path))
    list(other.execute("BEGIN IMMEDIATE"))
    reason = rig.refusal(ChangeRows, model=MODEL, put=(row("b", X),))
    list(other.execute("ROLLBACK"))
    other.close()

    assert "locked" in reason
    assert rig.names(X) == ["a"]
    rig.put(row("b", X))
    assert sorted(rig.names(X)) == ["a", "b"]


def test_a_folder_that_cannot_be_made_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "facts").write_text("in the way")
    rig = IndexRig(tmp_path)

    assert "cannot be used" in rig.refusal(LoadRows)
    (tmp_path / "facts").unlink()
    assert rig.known() == {}


def test_a_message_that_is_malformed_is_refused(rig: IndexRig) -> None:
    assert "per_scope" in rig.refusal(FindRows, model=MODEL, vector=X, scopes=("c",), roles=(), per_scope=0)


def test_it_says_how_much_there_is(rig: IndexRig) -> None:
    rig.put(row("a", X), row("b"))
    told = rig.answer(SelfDescription, DescribeYourself)

    assert dict(told.figures) == {"state": "ready"}
    assert dict(told.operator_figures) | {"vectors_in_memory_bytes": 0} == {
        "rows": 2,
        "without_vector": 1,
        "vectors_in_memory_bytes": 0,
        "trouble": "none",
    }


def test_a_kill_leaves_whole_changes(tmp_path: Path) -> None:
    pid = os.fork()
    if not pid:
        rig = IndexRig(tmp_path)
        rig.put(*(row(f"a{n}", X) for n in range(50)))
        os.kill(os.getpid(), signal.SIGKILL)
        sys.exit(1)
    os.waitpid(pid, 0)

    assert len(IndexRig(tmp_path).known()) == 50
