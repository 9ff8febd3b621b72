"""What litellm said is kept for the next start, and what others might have written is not believed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from actors.model import kept_routes, routes
from actors.model.kept_routes import keep, kept
from actors.model.question import Question, question_for
from actors.model.route import Route, Tier

ROUTE = Route(
    address="https://example.com/v1/chat/completions",
    headers={"user-agent": "x"},
    model="m",
    fields={"stream": True},
    fields_without_tools={},
    sees_images=False,
    tiers=(Tier(0, 2e-6, 1e-5, 2e-7),),
)
QUESTION = question_for("openai/x", "", [], {})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where answers are kept; made when there is one."""
    monkeypatch.setenv(kept_routes.FOLDER, str(tmp_path / "kept" / "routes"))
    return tmp_path / "kept" / "routes"


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


@pytest.mark.req("X-176")
@pytest.mark.parametrize("route", [ROUTE, None], ids=["a route", "litellm's own"])
def test_an_answer_is_kept_for_its_question_alone(folder: Path, route: Route | None) -> None:
    keep(QUESTION, route)

    assert kept(QUESTION) == route
    for other in (question_for("openai/y", "", [], {}), question_for("openai/x", "", [], {"OPENAI_API_KEY": "sk"})):
        with pytest.raises(LookupError, match="is not there"):
            kept(other)


def test_files_are_their_owners_alone(folder: Path) -> None:
    keep(QUESTION, ROUTE)

    assert folder.stat().st_mode & 0o777 == 0o700
    assert only_file(folder).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", [None, ""])
def test_without_a_folder_nothing_is_kept(name: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(kept_routes.FOLDER)
    if name is not None:
        monkeypatch.setenv(kept_routes.FOLDER, name)

    keep(QUESTION, ROUTE)

    with pytest.raises(LookupError, match="REMEMBRANCER_ROUTES names no folder"):
        kept(QUESTION)


@pytest.mark.req("X-176")
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_what_others_may_write_is_not_believed(folder: Path, mode: int, caplog: pytest.LogCaptureFixture) -> None:
    keep(QUESTION, ROUTE)
    only_file(folder).chmod(mode)

    with pytest.raises(LookupError, match="may be another's"):
        kept(QUESTION)
    assert "is not believed: others may write to it" in caplog.text


@pytest.mark.req("X-176")
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_nor_is_what_lies_where_others_could_give_it_the_name_of_another(folder: Path, mode: int) -> None:
    keep(QUESTION, ROUTE)
    folder.chmod(mode)

    with pytest.raises(LookupError, match="may be another's"):
        kept(QUESTION)


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    keep(QUESTION, ROUTE)
    elsewhere = only_file(folder).rename(tmp_path / "elsewhere")
    (folder / kept_routes._place(QUESTION).name).symlink_to(elsewhere)  # type: ignore[union-attr]

    with pytest.raises(LookupError, match="cannot be read"):
        kept(QUESTION)


@pytest.mark.parametrize(
    "body", [b"{broken", b'{"a":' * 100_000, b"null" + b" " * (1 << 20)], ids=["cut", "deep", "long"]
)
def test_what_cannot_be_read_is_asked_anew(folder: Path, body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(QUESTION, ROUTE)
    only_file(folder).write_bytes(body)
    with pytest.raises(LookupError, match="cannot be read"):
        kept(QUESTION)

    async def said(question: bytes) -> bytes:
        return b"null"

    monkeypatch.setattr(routes, "_said", said)

    assert asyncio.run(routes._resolve(QUESTION)) is None
    assert kept(QUESTION) is None


@pytest.mark.req("X-176")
def test_litellm_is_asked_once_for_two_starts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    async def said(question: bytes) -> bytes:
        asked.append(question)
        return b"null"

    monkeypatch.setattr(routes, "_said", said)

    assert [asyncio.run(routes._resolve(QUESTION)) for _ in range(2)] == [None, None]
    assert len(asked) == 1


@pytest.mark.parametrize("what", ["a library's version", "a source"])
def test_of_another_edition_nothing_is_believed(
    folder: Path, what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keep(QUESTION, ROUTE)
    if what == "a source":
        monkeypatch.setattr(kept_routes, "_SOURCES", kept_routes._SOURCES[1:])
    else:
        monkeypatch.setattr(kept_routes, "version", lambda name: "0.0.1")
    kept_routes._edition.cache_clear()
    try:
        with pytest.raises(LookupError, match="is not there"):
            kept(QUESTION)
    finally:
        kept_routes._edition.cache_clear()


def test_a_folder_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(kept_routes.FOLDER, str(tmp_path / "file" / "routes"))

    keep(QUESTION, ROUTE)

    assert "is not kept: " in caplog.text


def test_no_file_holds_a_key(folder: Path) -> None:
    question: Question = question_for("openai/x", "", ["OPENAI_API_KEY"], {"OPENAI_API_KEY": "sk-very-secret"})
    keep(question, ROUTE)

    assert b"very-secret" not in only_file(folder).read_bytes() + only_file(folder).name.encode()
