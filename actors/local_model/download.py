"""Download of a catalogue's model: resumes an earlier download, and is checked by hash before it counts."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NoReturn
from urllib.parse import urljoin, urlsplit

import aiohttp

from actors.http_client.bounded_answers import shown_host, shown_words
from actors.http_client.clean_connector import CleanConnector
from actors.http_client.environment import proxy_for, trusted_certificates
from actors.linux.private_folder import make_private
from actors.linux.regular_file import open_regular
from actors.local_model.catalogue import CatalogueModel
from actors.local_model.store import ModelFileError, Record, ReportProgress, Store, hash_of

ENDPOINT = "HF_ENDPOINT"
"""Variable that names another hub, such as a mirror."""
MOST_IDLE_TRIES = 3
"""Tries in a row without a further byte."""
_CONNECT_S, _SILENCE_S = 20.0, 60.0
_BLOCK_BYTES = 1 << 18
_LEAST_BYTES, LEAST_BYTES_S = 1 << 20, 300.0
"""A server slower than this would need weeks."""
_SPARE_BYTES = 64 << 20
"""Disk space kept free."""
_RANGE = re.compile(r"bytes ([0-9]{1,15})-[0-9]{1,15}/([0-9]{1,15}|\*)")
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def endpoint_of(environ: Mapping[str, str]) -> str:
    """Address of another hub, from the environment; empty for the usual hub.

    Raises:
        ModelFileError: the value is no address.
    """
    endpoint = environ.get(ENDPOINT, "").strip()
    with suppress(ValueError):
        parts = urlsplit(endpoint)
        if not endpoint or (parts.scheme in ("http", "https") and parts.hostname and parts.port != 0):
            return endpoint
    raise ModelFileError(f"{ENDPOINT} {endpoint!r} must begin with http:// or https:// and name a host")


class Download:
    """Download of a model into the folder of a store."""

    def __init__(
        self,
        model: CatalogueModel,
        store: Store,
        endpoint: str,
        progress: ReportProgress,
        least_bytes_s: float = LEAST_BYTES_S,
    ) -> None:
        """Nothing is fetched yet.

        Args:
            model: Of the catalogue.
            store: Gets the file.
            endpoint: Address of another hub; empty for the usual one.
            progress: Shows progress.
            least_bytes_s: Seconds in which 1 MiB has to come.
        """
        self._least_bytes_s = least_bytes_s
        self._model = model
        self._store = store
        self._address = model.address(endpoint)
        self._progress = progress
        self._part, self._etag = store.parts(model.name)
        self._size = 0
        """Bytes of the part."""

    async def run(self) -> Record:
        """Fetch the model, unless present.

        Raises:
            ModelFileError: the download failed; the part received stays for the next try, unless wrong.
        """
        model, place = self._model, self._store.fetched_file(self._model.name)
        record = self._store.record(model.name)
        if record is not None and record.sha256 == model.sha256 and _size_of(place) == model.bytes:
            return record
        try:
            make_private(self._store.folder)
            # A whole file without its record was moved into place by a process that was killed then.
            if _size_of(place) != model.bytes or hash_of(place, self._progress) != model.sha256:
                with self._held_part() as fd:
                    await self._complete(fd)
            record = Record(
                name=model.name,
                file=place.name,
                bytes=model.bytes,
                sha256=model.sha256,
                licence=model.licence,
                source=self._address,
            )
            self._store.keep(record)
        except OSError as error:
            self._fail_on_disk(error)
        return record

    @contextmanager
    def _held_part(self) -> Iterator[int]:
        fd = open_regular(self._part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ModelFileError(f"{self._model.name} is being fetched by another process") from None
            self._size = os.fstat(fd).st_size
            yield fd
        finally:
            os.close(fd)

    async def _complete(self, fd: int) -> None:
        """Fetch the missing part, check the whole, and move the file into its place."""
        model = self._model
        if self._size > model.bytes:
            self._start_over(fd)
        self._check_space()
        is_continued = self._size > 0
        while not await self._fetch_and_check(fd):
            if not is_continued:
                raise ModelFileError(f"{self._address} is not the file of the catalogue: its SHA-256 differs")
            is_continued = False  # what lay here may have been wrong
        self._part.replace(self._store.fetched_file(model.name))
        self._etag.unlink(missing_ok=True)

    async def _fetch_and_check(self, fd: int) -> bool:
        """Fetch the missing part; True if the whole has the right hash, else the file is emptied."""
        await self._fetch(fd)
        os.fsync(fd)
        if hash_of(self._part, self._progress) == self._model.sha256:
            return True
        self._start_over(fd)
        return False

    async def _fetch(self, fd: int) -> None:
        idle = 0
        secure = trusted_certificates() if self._address.startswith("https:") else True
        timeout = aiohttp.ClientTimeout(total=None, connect=_CONNECT_S, sock_read=_SILENCE_S)
        async with aiohttp.ClientSession(
            connector=CleanConnector(keepalive_timeout=None, ssl_of=secure),
            timeout=timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            middlewares=(self._judge_redirection,),
        ) as session:
            while self._size < self._model.bytes:
                before, ending = self._size, "it ended early"
                try:
                    await self._attempt(session, fd)
                except aiohttp.ClientConnectorError as error:
                    self._fail_to_reach(error)
                except (aiohttp.ClientError, TimeoutError) as error:
                    ending = shown_words(str(error)) or type(error).__name__
                idle = 0 if self._size > before else idle + 1
                if idle == MOST_IDLE_TRIES:
                    raise ModelFileError(
                        f"{self._address} broke off at {self._size} of {self._model.bytes} bytes ({ending}); "
                        "the same command goes on from there"
                    )

    async def _attempt(self, session: aiohttp.ClientSession, fd: int) -> None:
        headers = {"Accept-Encoding": "identity", "User-Agent": "remembrancer"}
        if self._size:
            headers["Range"] = f"bytes={self._size}-"
            with suppress(OSError):
                headers["If-Range"] = self._etag.read_text("ascii")
        async with session.get(self._address, headers=headers, proxy=proxy_for(self._address)) as response:
            if response.status == 416:
                self._start_over(fd)
                return
            self._check_answer(response)
            if response.status == 200 and self._size:  # the server knows no ranges, or the file is another
                self._start_over(fd)
            etag = response.headers.get("ETag", "")
            if etag.startswith('"') and etag.isascii():  # a weak one vouches for no bytes
                self._etag.write_text(etag, "ascii")
            os.lseek(fd, self._size, os.SEEK_SET)
            pace = _Pace(self._least_bytes_s)
            async for block in response.content.iter_chunked(_BLOCK_BYTES):
                if self._size + len(block) > self._model.bytes:
                    self._start_over(fd)
                    self._fail_by_size("more")
                _write(fd, block)
                self._size += len(block)
                if not pace.keeps_up(len(block)):
                    self._fail_by_pace()
                self._progress(f"fetching {self._model.name}", self._size, self._model.bytes)

    async def _judge_redirection(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Middleware: a redirection leads to a server with a proven name, or stays on the same server."""
        response = await handler(request)
        location = response.headers.get("Location")
        if not 300 <= response.status < 400 or location is None:
            return response
        with suppress(ValueError):
            here, there = urlsplit(str(request.url)), urlsplit(urljoin(str(request.url), location))
            if there.scheme == "https" or (here.scheme, here.netloc) == (there.scheme, there.netloc):
                return response
        response.close()
        raise ModelFileError(
            f"{self._address} leads to {shown_host(location)} without https, where nothing is asked for"
        )

    def _check_answer(self, response: aiohttp.ClientResponse) -> None:
        """Refuse a response that cannot be the file.

        Raises:
            ModelFileError: the response cannot be the file.
        """
        if response.status not in (200, 206):
            where = f" (at {response.url.host})" if response.history else ""
            raise ModelFileError(f"{self._address} answered {response.status} {shown_words(response.reason)}{where}")
        if response.content_type == "text/html":
            raise ModelFileError(f"{self._address} answered with a web page; perhaps this network asks for a login")
        begin, total = self._range(response)
        if response.status == 206 and begin != self._size:
            raise ModelFileError(f"{self._address} answered with bytes from {begin} on, asked for {self._size}")
        if total is not None and total != self._model.bytes:
            self._fail_by_size(str(total))

    @staticmethod
    def _range(response: aiohttp.ClientResponse) -> tuple[int, int | None]:
        """(First byte of a response, length of the whole file or None)."""
        if response.status == 200:
            return 0, response.content_length
        match = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if match is None:
            return -1, None
        return int(match[1]), None if match[2] == "*" else int(match[2])

    def _start_over(self, fd: int) -> None:
        os.ftruncate(fd, 0)
        self._size = 0
        self._etag.unlink(missing_ok=True)

    def _check_space(self) -> None:
        missing = self._model.bytes - self._size
        free = shutil.disk_usage(self._store.folder).free
        if free < missing + _SPARE_BYTES:
            raise ModelFileError(
                f"{self._model.name} needs {missing / 1e9:.2f} GB more, and {self._store.folder} has "
                f"{free / 1e9:.2f} GB free; free some, or name another folder (local_model.folder)"
            )

    def _fail_by_pace(self) -> NoReturn:
        raise ModelFileError(
            f"{self._address} brought less than {_LEAST_BYTES} bytes within {self._least_bytes_s:g} s, the least that "
            f"is waited for; {self._size} bytes are kept, and the same command goes on from there"
        )

    def _fail_by_size(self, size: str) -> NoReturn:
        raise ModelFileError(
            f"{self._address} is not the file of the catalogue: it has {size} bytes, not {self._model.bytes}"
        )

    def _fail_to_reach(self, error: aiohttp.ClientConnectorError) -> NoReturn:
        program, name = self._store.program, self._model.name
        why = error.os_error.strerror or error.os_error
        raise ModelFileError(
            f"{error.host} cannot be reached from here ({why}); set {ENDPOINT} to a mirror, or bring "
            f"{self._model.file} from elsewhere: {program} model add my-{name} FILE"
        ) from error

    def _fail_on_disk(self, error: OSError) -> NoReturn:
        why = "the disk is full" if error.errno in _FULL else str(error.strerror or error)
        raise ModelFileError(
            f"{self._store.folder} cannot be written: {why}; {self._size} bytes are kept, and the same command goes on "
            "from there"
        ) from error


class _Pace:
    """Watch over the speed of a download; begun when the first bytes may come."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._since = asyncio.get_running_loop().time()
        self._bytes = 0

    def keeps_up(self, size: int) -> bool:
        """Take in further bytes; False if fewer came than have to within the limit."""
        now = asyncio.get_running_loop().time()
        self._bytes += size
        if self._bytes >= _LEAST_BYTES:
            self._since, self._bytes = now, 0
        return now - self._since <= self._limit_s


def _write(fd: int, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[os.write(fd, view) :]


def _size_of(path: os.PathLike[str]) -> int:
    """Size of a file; -1 for a missing file."""
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return -1
