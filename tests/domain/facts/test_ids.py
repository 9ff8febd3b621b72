from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.ids import id_of_path, uuid_of


@pytest.mark.req("S2-23")
@given(st.text())
def test_an_id_is_a_uuid_of_version_4(text: str) -> None:
    identifier = uuid.UUID(uuid_of(text))

    assert identifier.version == 4
    assert identifier.variant == uuid.RFC_4122
    assert str(identifier) == uuid_of(text)


def test_the_same_text_gives_the_same_id_and_another_text_another() -> None:
    assert uuid_of("a") == uuid_of("a") != uuid_of("b")


def test_the_id_of_a_file_is_not_that_of_a_text_that_reads_like_it() -> None:
    assert id_of_path("entries/a.md") != uuid_of("entries/a.md")
