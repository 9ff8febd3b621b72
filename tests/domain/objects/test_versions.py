from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.objects.looked import FileLook, Signature, look_at_bytes, unread_look
from domain.objects.versions import (
    completes,
    metadata_hash,
    next_version,
    number_of,
    numbered_id,
    object_hash,
    valid_from,
)
from messages.base import flaw_of
from messages.objects import FileVersion, VersionsListed

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TICK = timedelta(microseconds=1)
SIGNATURE = Signature(1, 2, 3, 4, 5)


def text_of(path: str, content: str) -> FileLook:
    return look_at_bytes(path, SIGNATURE, content.encode())


def story(*looks: FileLook | None) -> list[FileVersion]:
    """Versions of one file from looks at one look a second."""
    versions: list[FileVersion] = []
    for second, look in enumerate(looks):
        version = next_version(versions[-1] if versions else None, "f1", look, NOON + second * SECOND)
        versions += [version] if version is not None else []
    return versions


def test_the_first_look_makes_the_first_version() -> None:
    (version,) = story(text_of("a", "words"))

    look = text_of("a", "words")
    metadata = metadata_hash("a", "text", 5)
    assert version == FileVersion(
        object="f1",
        no=1,
        valid_from=NOON,
        path="a",
        status="text",
        size=5,
        content_hash=look.content_hash,
        metadata_hash=metadata,
        object_hash=object_hash("f1", 1, look.content_hash, metadata),
    )
    assert type(version.status) is str


def test_the_same_look_makes_no_version() -> None:
    assert len(story(text_of("a", "x"), text_of("a", "x"))) == 1
    assert len(story(unread_look("a", SIGNATURE), unread_look("a", Signature(1, 2, 99, 4, 5)))) == 1


def test_another_content_makes_a_version() -> None:
    first, second = story(text_of("a", "x"), text_of("a", "y"))

    assert (second.no, second.path, second.valid_from) == (2, "a", NOON + SECOND)
    assert second.content_hash != first.content_hash
    assert second.metadata_hash == first.metadata_hash
    assert second.object_hash != first.object_hash


def test_a_move_is_a_version_with_the_same_content() -> None:
    first, second = story(text_of("a", "x"), text_of("b", "x"))

    assert (second.no, second.path, second.content_hash) == (2, "b", first.content_hash)
    assert second.metadata_hash != first.metadata_hash
    assert second.object_hash != first.object_hash


def test_a_missing_file_keeps_its_last_path_and_has_no_content() -> None:
    first, second = story(text_of("a", "x"), None)

    assert (second.no, second.path, second.status, second.size, second.content_hash) == (2, "a", "missing", 0, "")
    assert second.object == first.object
    assert second.metadata_hash == metadata_hash("a", "missing", 0)


def test_a_file_is_missing_once_and_one_that_was_never_known_is_not() -> None:
    assert len(story(text_of("a", "x"), None, None)) == 2
    assert story(None) == []


def test_a_missing_file_that_is_there_again_has_a_version_more() -> None:
    assert [each.status for each in story(text_of("a", "x"), None, text_of("a", "x"))] == ["text", "missing", "text"]
    assert [each.status for each in story(unread_look("a", SIGNATURE), None, unread_look("a", SIGNATURE))] == [
        "unread",
        "missing",
        "unread",
    ]


def test_an_unread_file_that_is_read_has_a_content_and_keeps_its_number() -> None:
    first, second = story(unread_look("a", SIGNATURE), text_of("a", "x"))

    assert [(each.no, each.status) for each in (first, second)] == [(1, "unread"), (1, "text")]
    assert second.object_hash == object_hash("f1", 1, second.content_hash, second.metadata_hash)


def test_a_version_has_the_number_of_an_unread_one_only_where_that_stood(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[FileLook | None], list[int]]] = [
        ([unread_look("a", SIGNATURE), text_of("b", "x")], [1, 2]),
        ([unread_look("a", SIGNATURE), unread_look("b", SIGNATURE)], [1, 2]),
        ([unread_look("a", SIGNATURE), None], [1, 2]),
        ([unread_look("a", SIGNATURE), None, text_of("a", "x")], [1, 2, 3]),
        ([text_of("a", "x"), None, unread_look("a", SIGNATURE), text_of("a", "y")], [1, 2, 3, 3]),
    ]
    for looks, numbers in cases:
        with subtests.test(looks=looks, numbers=numbers):
            assert [each.no for each in story(*looks)] == numbers


@pytest.mark.parametrize("data", [b"x", b"\0", b"x" * 300_000])
def test_what_was_read_is_not_unread_again(data: bytes) -> None:
    assert len(story(look_at_bytes("a", SIGNATURE, data), unread_look("a", SIGNATURE))) == 1


def test_a_move_of_a_read_file_that_is_seen_only_keeps_what_was_read() -> None:
    first, second = story(text_of("a", "words"), unread_look("b", SIGNATURE))

    assert (second.path, second.status, second.size) == ("b", "text", 5)
    assert second.content_hash == first.content_hash


def test_a_text_that_turns_binary_and_a_large_one_are_versions() -> None:
    looks = [look_at_bytes("a", SIGNATURE, data) for data in (b"x", b"\0", b"x" * 300_000)]

    assert [each.status for each in story(*looks)] == ["text", "binary", "large"]


LOOKS = st.one_of(
    st.none(),
    st.builds(text_of, st.sampled_from("ab"), st.sampled_from("xy")),
    st.builds(unread_look, st.sampled_from("ab"), st.just(SIGNATURE)),
)


@given(st.lists(st.tuples(LOOKS, st.integers(-3, 3)), max_size=12))
def test_versions_are_numbered_without_gaps_but_for_what_was_unread_differ_and_follow_one_another_whatever_the_clock_does(
    looks: list[tuple[FileLook | None, int]],
) -> None:
    versions: list[FileVersion] = []
    for look, seconds in looks:
        version = next_version(versions[-1] if versions else None, "f1", look, NOON + seconds * SECOND)
        versions += [version] if version is not None else []
        assert next_version(versions[-1] if versions else None, "f1", look, NOON) is None

    assert all(each.no == 1 for each in versions[:1])
    assert all(b.no == a.no + (not completes(a, b.path, b.status)) for a, b in pairwise(versions))
    assert all(a.valid_from < b.valid_from for a, b in pairwise(versions))
    assert all((a.path, a.status, a.content_hash) != (b.path, b.status, b.content_hash) for a, b in pairwise(versions))
    assert len({each.object_hash for each in versions}) == len(versions)
    assert all(each.metadata_hash == metadata_hash(each.path, each.status, each.size) for each in versions)
    assert flaw_of(VersionsListed(request_id="1", versions=tuple(versions), kept=(), shown=())) == ""  # type: ignore[arg-type]


def test_a_version_begins_now_or_just_after_the_one_before() -> None:
    assert valid_from(NOON, None) == NOON
    assert valid_from(NOON, NOON - SECOND) == NOON
    assert valid_from(NOON, NOON) == NOON + TICK
    assert valid_from(NOON - 60 * SECOND, NOON) == NOON + TICK


def test_hashes_say_every_field_and_where_it_ends() -> None:
    hashes = {
        metadata_hash("a", "text", 1),
        metadata_hash("b", "text", 1),
        metadata_hash("a", "binary", 1),
        metadata_hash("a", "text", 2),
        metadata_hash('a","text', "", 1),
        object_hash("f1", 1, "c", "m"),
        object_hash("f2", 1, "c", "m"),
        object_hash("f1", 2, "c", "m"),
        object_hash("f1", 1, "d", "m"),
        object_hash("f1", 1, "c", "n"),
        object_hash("f1", 1, "cm", ""),
        object_hash("f", 11, "c", "m"),
    }

    assert len(hashes) == 12
    assert {len(each) for each in hashes} == {64}


@given(st.sampled_from("ft"), st.integers(1, 10**9))
def test_an_id_is_read_as_it_was_written(kind: str, number: int) -> None:
    assert numbered_id(kind, number)[0] == kind
    assert number_of(numbered_id(kind, number)) == number


@pytest.mark.parametrize("number", [0, -1, 10**9 + 1])
def test_no_object_has_such_a_number(number: int) -> None:
    with pytest.raises(ValueError, match=rf"number of an object {number}: 1 to 1000000000 is required"):
        numbered_id("f", number)


def test_no_object_is_of_another_kind() -> None:
    with pytest.raises(ValueError, match="kind of object 'x': 'f' or 't' is required"):
        numbered_id("x", 1)


def test_what_is_no_id_is_refused_with_the_rule(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "f",
        "f0",
        "f01",
        "1",
        "x1",
        "F1",
        "f1 ",
        "f1\n",
        "f-1",
        "f+1",
        "f1.0",
        "f²",
        "f١",
        "f1000000001",
        "f" + "9" * 99,
    ]
    for name in cases:
        with subtests.test(name=name):
            with pytest.raises(
                ValueError, match=r"id of an object '.*': f or t and a number from 1 on are required"
            ) as refused:
                number_of(name)
            assert len(str(refused.value)) < 160
