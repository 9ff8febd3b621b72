"""Downloads of models, against a server on loopback that misbehaves in the ways that people report."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from actors.local_model.catalogue import CATALOGUE, SPEECH_CATALOGUE, CatalogueModel
from actors.local_model.download import Download, endpoint_of
from actors.local_model.store import ModelFileError, Record, Store

WHOLE = b"GGUF" + bytes(range(256)) * 4_000


def catalogue_model(content: bytes = WHOLE) -> CatalogueModel:
    return CatalogueModel(
        name="small",
        title="Small",
        repository="people/small",
        revision="0" * 40,
        file="small.gguf",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        licence="Apache-2.0",
        memory_gib=1.0,
        calls_tools=False,
    )


@dataclass
class Hub:
    """Hub with one file, and the hub's faults."""

    content: bytes = WHOLE
    status: int = 0
    """Instead of the file; 0 for the file."""
    cuts: list[int] = field(default_factory=list)
    """Bytes after which each next answer ends, the first cut first."""
    knows_ranges: bool = True
    etag: str = '"v1"'
    redirects: bool = False
    content_type: str = "application/octet-stream"
    is_chunked: bool = False
    begins_at: int = 0
    """Added to the first byte of a part, which is a fault."""
    leads_to: str = "/elsewhere/file"
    reason: str | None = None
    """Of the status."""
    drip_s: float = 0.0
    """Wait before each further byte, the file's first bytes left out."""
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """(Path, Range, If-Range) of each."""


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            wish, if_range = self.headers.get("Range", ""), self.headers.get("If-Range", "")
            hub.requests.append((self.path, wish, if_range))
            self.close_connection = True
            if hub.redirects and not self.path.startswith("/elsewhere"):
                self.send_response(302)
                self.send_header("Location", hub.leads_to)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if hub.status:
                self.send_response(hub.status, hub.reason)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            begin = int(wish[6:-1]) if wish and hub.knows_ranges and if_range in ("", hub.etag) else 0
            body = hub.content[begin:]
            self.send_response(206 if begin else 200)
            if begin:
                first = begin + hub.begins_at
                self.send_header("Content-Range", f"bytes {first}-{len(hub.content) - 1}/{len(hub.content)}")
            self.send_header("ETag", hub.etag)
            self.send_header("Content-Type", hub.content_type)
            if not hub.is_chunked:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self._drip(body) if hub.drip_s else self.wfile.write(body[: hub.cuts.pop(0)] if hub.cuts else body)

        def _drip(self, body: bytes) -> None:
            with suppress(ConnectionError):
                for place in range(len(body)):
                    self.wfile.write(body[place : place + 1])
                    is_over.wait(hub.drip_s)

    is_over = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def fetch(
    folder: Path, endpoint: str, model: CatalogueModel | None = None, told: Callable[..., None] = lambda *_: None
) -> Record:
    return asyncio.run(Download(model or catalogue_model(), Store(folder, "bin/agent"), endpoint, told).run())


@pytest.mark.req("X-214")
def test_a_download_ends_whole_whatever_the_server_does_that_can_be_mended(tmp_path: Path) -> None:
    half, most = len(WHOLE) // 2, len(WHOLE) - 1
    cases = {
        "at once": (Hub(), b""),
        "redirected": (Hub(redirects=True), b""),
        "cut off twice": (Hub(cuts=[half, 1_000]), b""),
        "cut off without a length": (Hub(cuts=[half], is_chunked=True), b""),
        "cut off, without ranges": (Hub(cuts=[half], knows_ranges=False), b""),
        "cut off, with a weak tag": (Hub(cuts=[half], etag='W/"v1"'), b""),
        "the rest of a part": (Hub(), WHOLE[:half]),
        "the last byte": (Hub(), WHOLE[:most]),
        "a whole part": (Hub(), WHOLE),
        "a part that is too long": (Hub(), WHOLE + b"more"),
        "a part of another file": (Hub(), b"x" * half),
        "a whole part of another file": (Hub(), b"x" * len(WHOLE)),
    }
    failures: list[object] = []
    for number, (name, (hub, part)) in enumerate(cases.items()):
        store = Store(tmp_path / str(number), "bin/agent")
        store.folder.mkdir()
        if part:
            store.parts("small")[0].write_bytes(part)
        with serving(hub) as endpoint:
            record = fetch(store.folder, endpoint)
        left = sorted(path.name for path in store.folder.iterdir())
        if store.find("small").read_bytes() != WHOLE or record != store.record("small") or len(left) != 2:
            failures.append((name, record, left))
        if name == "the last byte" and [each[1] for each in hub.requests] != [f"bytes={most}-"]:
            failures.append((name, hub.requests))
        if name == "cut off twice" and [each[2] for each in hub.requests] != ["", '"v1"', '"v1"']:
            failures.append((name, hub.requests))
        if name == "cut off, with a weak tag" and [each[2] for each in hub.requests] != ["", ""]:
            failures.append((name, hub.requests))
        if name == "a whole part" and hub.requests:
            failures.append((name, hub.requests))
    assert not failures


def test_a_model_is_on_the_disk_before_it_has_its_name(tmp_path: Path, system_syncs: list[tuple[str, str]]) -> None:
    with serving(Hub()) as endpoint:
        fetch(tmp_path, endpoint)
    assert system_syncs == [("fsync", str(Store(tmp_path, "bin/agent").parts("small")[0]))]


@pytest.mark.req("X-214")
def test_a_download_that_cannot_end_well_says_why_and_leaves_no_model(tmp_path: Path) -> None:
    half = len(WHOLE) // 2
    other = WHOLE[:-1] + b"!"
    cases = {
        "404": (Hub(status=404), "answered 404 Not Found", 0),
        "403": (Hub(status=403), "answered 403 Forbidden", 0),
        "404 after a redirection": (Hub(status=404, redirects=True), "(at 127.0.0.1)", 0),
        "another file": (Hub(other), "its SHA-256 differs", 0),
        "a shorter file": (Hub(WHOLE[:half]), f"it has {half} bytes, not {len(WHOLE)}", 0),
        "a longer file": (Hub(WHOLE + b"more"), f"it has {len(WHOLE) + 4} bytes", 0),
        "a longer file without a length": (Hub(WHOLE + b"more", is_chunked=True), "it has more bytes", 0),
        "a login page": (Hub(b"<html>", content_type="text/html; charset=utf-8"), "a web page", 0),
        "cut off for ever": (Hub(cuts=[half, 0, 0, 0]), f"broke off at {half} of", half),
        "a part from elsewhere": (Hub(cuts=[half], begins_at=7), f"asked for {half}", half),
    }
    failures = []
    for number, (name, (hub, words, kept)) in enumerate(cases.items()):
        store = Store(tmp_path / str(number), "bin/agent")
        with serving(hub) as endpoint, pytest.raises(ModelFileError) as raised:
            fetch(store.folder, endpoint)
        if words not in str(raised.value) or store.records() or store.parts("small")[0].stat().st_size != kept:
            failures.append((name, str(raised.value)))
    assert not failures


@pytest.mark.req("X-235")
def test_a_hub_that_leads_to_a_service_without_https_is_not_followed(tmp_path: Path, subtests: pytest.Subtests) -> None:
    with serving(Hub()) as victim:
        for number, place in enumerate((f"{victim}/shutdown", "http://localhost:1/x", "http://[", "ftp://hub/x")):
            with (
                subtests.test(place=place),
                serving(Hub(redirects=True, leads_to=place)) as endpoint,
                pytest.raises(ModelFileError, match="without https, where nothing is asked for"),
            ):
                fetch(tmp_path / str(number), endpoint)


@pytest.mark.req("X-235")
def test_a_hub_that_drips_is_given_up_and_what_came_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path, "bin/agent")
    with (
        serving(Hub(drip_s=0.02)) as endpoint,
        pytest.raises(ModelFileError, match=r"less than 1048576 bytes within 0.3 s"),
    ):
        asyncio.run(Download(catalogue_model(), store, endpoint, lambda *_: None, 0.3).run())
    assert store.parts("small")[0].stat().st_size > 0
    with serving(Hub()) as endpoint:
        fetch(tmp_path, endpoint)


@pytest.mark.req("X-235")
def test_words_of_a_hub_steer_no_terminal(tmp_path: Path) -> None:
    with serving(Hub(status=500, reason="\x1b[2Jno\x07")) as endpoint, pytest.raises(ModelFileError) as raised:
        fetch(tmp_path, endpoint)
    assert str(raised.value).isprintable()
    assert "answered 500 no" in str(raised.value)


def test_an_address_without_a_hub_and_a_disk_without_room_are_told_with_the_way_on(tmp_path: Path) -> None:
    with serving(Hub()) as endpoint:
        pass
    with pytest.raises(ModelFileError, match=r"127.0.0.1 cannot be reached.*HF_ENDPOINT.*model add my-small FILE"):
        fetch(tmp_path, endpoint)

    huge = replace(catalogue_model(), bytes=10**18)
    with pytest.raises(ModelFileError, match=r"small needs 1000000000.00 GB more.*local_model.folder"):
        fetch(tmp_path, endpoint, huge)


def test_the_hub_is_named_by_the_environment() -> None:
    assert endpoint_of({}) == ""
    assert endpoint_of({"HF_ENDPOINT": "https://hub.example/"}) == "https://hub.example/"
    for wrong in ("hub.example", "ftp://hub.example", "https://", "http://hub:0"):
        with pytest.raises(ModelFileError, match=f"HF_ENDPOINT '{wrong}'"):
            endpoint_of({"HF_ENDPOINT": wrong})

    assert catalogue_model().address("https://hub.example/") == (
        "https://hub.example/people/small/resolve/" + "0" * 40 + "/small.gguf"
    )


def test_the_catalogue_holds_what_a_download_needs() -> None:
    names = [model.name for model in (*CATALOGUE, *SPEECH_CATALOGUE)]
    assert len(set(names)) == len(names)
    for model in (*CATALOGUE, *SPEECH_CATALOGUE):
        assert len(bytes.fromhex(model.sha256)) == 32
        assert len(bytes.fromhex(model.revision)) == 20
        assert model.file.endswith(".bin" if model in SPEECH_CATALOGUE else ".gguf")
        assert model.licence == ("MIT" if model in SPEECH_CATALOGUE else "Apache-2.0")
        assert model.bytes > 10**8
