"""Kept listings: believed only where no other user can have written them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from actors.model import kept_routes
from actors.model.config import ModelConfig
from actors.model.kept_routes import keep, read_kept
from actors.model.route import Listing, Tier
from actors.model.routes import Routes

LISTING = Listing(provider="openai", name="x", sees_images=True, tiers=(Tier(0, 1e-6, 2e-6, 1e-7),))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "routes"
    monkeypatch.setenv(kept_routes.FOLDER, str(folder))
    return folder


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


@pytest.mark.req("X-176")
def test_a_listing_is_kept_for_its_model_alone(folder: Path) -> None:
    with pytest.raises(LookupError, match="is not there"):
        read_kept("openai/x", None)
    keep("openai/x", LISTING, None)
    keep("unknown", None, None)

    assert read_kept("openai/x", None) == LISTING
    assert read_kept("unknown", None) is None
    with pytest.raises(LookupError, match="is not there"):
        read_kept("openai/y", None)
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.req("X-176")
def test_a_listing_is_kept_in_the_data_root_unless_another_folder_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    keep("openai/x", LISTING, own)
    assert not own.exists()
    assert only_file(folder).is_file()
    monkeypatch.delenv(kept_routes.FOLDER)
    keep("openai/x", LISTING, own)
    assert read_kept("openai/x", own) == LISTING
    keep("openai/x", LISTING, None)
    with pytest.raises(LookupError, match="names no folder"):
        read_kept("openai/x", None)


@pytest.mark.req("X-176")
def test_what_others_may_write_or_rename_is_not_believed(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    keep("openai/x", LISTING, None)
    file = only_file(folder)
    for place, mode in ((file, 0o620), (file, 0o602), (folder, 0o770), (folder, 0o707)):
        before = place.stat().st_mode & 0o777
        place.chmod(mode)
        with pytest.raises(LookupError, match="cannot be read"):
            read_kept("openai/x", None)
        place.chmod(before)
        assert read_kept("openai/x", None) == LISTING
    assert caplog.text.count("is not believed: other users may write to it or its folder") == 4
    link = file.with_name("other")
    file.rename(link)
    file.symlink_to(link)
    with pytest.raises(LookupError, match="cannot be read"):
        read_kept("openai/x", None)


def test_a_file_that_holds_no_listing_is_passed_over_and_written_anew(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep("openai/x", LISTING, None)
    file = only_file(folder)
    for content in (b"", b"{", b'{"provider": 1}', b"[" * 100_000, b" " * (1 << 20) + b"null"):
        file.write_bytes(content)
        with pytest.raises(LookupError, match="cannot be read"):
            read_kept("openai/x", None)
        keep("openai/x", LISTING, None)
        assert read_kept("openai/x", None) == LISTING
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(LookupError, match="cannot be read"):
        read_kept("openai/x", None)
    assert caplog.text.count("is not believed") == 6


@pytest.mark.req("X-176")
def test_litellm_is_asked_once_for_two_starts_and_again_for_another_edition(folder: Path) -> None:
    asked = folder.parent / "asked"
    program = f'open({str(asked)!r}, \'a\').write(\'x\'); print(\'{{"provider": "openai", "name": "x"}}\')'

    for number, expected in ((1, 1), (2, 1)):
        routes = Routes(
            ModelConfig(name="openai/once", api_keys={"OPENAI_API_KEY": "k"}), program=program + f" #{number}"
        )
        assert asyncio.run(routes.find("openai/once")) is not None
        assert asked.stat().st_size == expected
    only_file(folder).rename(folder / "of-another-edition.json")
    routes = Routes(ModelConfig(name="openai/once", api_keys={"OPENAI_API_KEY": "k"}), program=program + " #3")
    assert asyncio.run(routes.find("openai/once")) is not None
    assert asked.stat().st_size == 2


def test_the_edition_is_of_litellms_release_and_the_sources_that_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kept_routes.edition.cache_clear()
    before = kept_routes.edition()
    with monkeypatch.context() as patch:
        patch.setattr(kept_routes, "version", lambda _name: "0.0.1")
        kept_routes.edition.cache_clear()
        assert kept_routes.edition() != before
    kept_routes.edition.cache_clear()
    assert kept_routes.edition() == before


def test_a_folder_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(kept_routes.FOLDER, str(tmp_path / "file" / "routes"))

    keep("openai/x", LISTING, None)

    assert "is not kept: " in caplog.text
