"""A file counts at its place and with its content, and with neither alone."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.folder_trust import ABSENT, Standing, TrustList, parse_trust_list

ONE, OTHER = sha256(b"one").hexdigest(), sha256(b"other").hexdigest()
PATHS = st.text(st.characters(exclude_characters="\0"), max_size=30).map(lambda text: f"/{text}")
DIGESTS = st.sampled_from((ABSENT, ONE, OTHER))
LISTS = st.dictionaries(PATHS, DIGESTS, max_size=6).map(TrustList)


def test_place_and_content_are_trusted_together(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, Standing]] = [
        ("/a/agent.toml", ONE, Standing.TRUSTED),
        ("/a/agent.toml", OTHER, Standing.CHANGED),
        ("/a/agent.toml", ABSENT, Standing.CHANGED),
        # direnv/direnv#83: content that is trusted in one folder says nothing of another folder, where it names other files.
        ("/b/agent.toml", ONE, Standing.UNKNOWN),
        ("/a/b/agent.toml", ONE, Standing.UNKNOWN),
        # A folder that was trusted without a settings file is not trusted with one that comes later.
        ("/empty/agent.toml", ABSENT, Standing.TRUSTED),
        ("/empty/agent.toml", ONE, Standing.CHANGED),
    ]
    for path, digest, standing in cases:
        with subtests.test(path=path, digest=digest, standing=standing):
            known = TrustList({"/a/agent.toml": ONE, "/empty/agent.toml": ABSENT})

            assert known.standing(path, digest) is standing


def test_trust_in_a_new_content_ends_that_in_the_old_one() -> None:
    """jdx/mise#1746: trusting a changed file again has to put its new hash in the place of the old one."""
    known = TrustList({"/a/agent.toml": ONE}).with_files({"/a/agent.toml": OTHER})

    assert known.standing("/a/agent.toml", OTHER) is Standing.TRUSTED
    assert known.standing("/a/agent.toml", ONE) is Standing.CHANGED


def test_a_folder_is_removed_without_those_below_and_beside_it() -> None:
    files = ("/a/agent.toml", "/a/secrets.env", "/a/b/agent.toml", "/ab/agent.toml", "/agent.toml")
    known = TrustList(dict.fromkeys(files, ONE))

    assert set(known.without_folder("/a").digests) == {"/a/b/agent.toml", "/ab/agent.toml", "/agent.toml"}
    assert set(known.without_folder("/").digests) == set(files) - {"/agent.toml"}


@given(LISTS)
def test_a_list_is_read_as_it_was_written(known: TrustList) -> None:
    text = known.render()

    assert text.isascii()
    assert parse_trust_list(text) == known


@given(LISTS, PATHS, DIGESTS)
def test_only_what_was_trusted_last_is_trusted(known: TrustList, path: str, digest: str) -> None:
    after = known.with_files({path: digest})

    for other in (ABSENT, ONE, OTHER):
        assert (after.standing(path, other) is Standing.TRUSTED) == (other == digest)
    for place, file_digest in known.digests.items():
        assert place == path or after.digests[place] == file_digest


def test_a_name_that_is_no_text_survives() -> None:
    known = TrustList({"/a/\udcff\x1b[2J\n/agent.toml": ONE})

    assert parse_trust_list(known.render()) == known


def test_what_is_no_list_is_refused_with_the_rule(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"version": 1}',
        '{"version": 2, "files": {}}',
        '{"version": 1, "files": []}',
        '{"version": 1, "files": {}, "all": true}',
        json.dumps({"version": 1, "files": {"a/agent.toml": ONE}}),
        json.dumps({"version": 1, "files": {"/a/agent.toml": "*"}}),
        json.dumps({"version": 1, "files": {"/a/agent.toml": ONE.upper()}}),
        json.dumps({"version": 1, "files": {"/a/agent.toml": True}}),
        json.dumps({"version": 1, "files": {"/a/agent.toml": f"{ONE}\n"}}),
        "[" * 100_000,
    ]
    for text in cases:
        with subtests.test(text=text), pytest.raises(ValueError, match=r"must be|must have"):
            parse_trust_list(text)
