"""Resolution of routes: litellm is asked in a process of its own, once for each question in this process's life."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

import actors
from actors.http_client.connections import proxy_for
from actors.model.config import ModelConfig
from actors.model.kept_routes import keep, kept
from actors.model.question import Question, address_for, question_for
from actors.model.route import Route
from messages.base import make_ready

log = logging.getLogger(__name__)

CHILD_S = 60.0
"""For importing litellm and asking it, which takes 3 s where the machine is free."""
AGAIN_S = 600.0
"""Until litellm is asked again when there was no answer."""
_START = "import sys; sys.path.append(sys.argv[1]); from actors.model.litellm_child import main; main()"
_PACKAGES = str(Path(actors.__file__).parents[1])
_OF_TLS = frozenset({"SSL_VERIFY", "SSL_CERTIFICATE", "SSL_SECURITY_LEVEL", "SSL_ECDH_CURVE"})
"""Variables by which litellm makes its TLS another; who sets one has litellm make the calls."""


class NoAnswerError(Exception):
    """The process that asks litellm gave no answer; the text says why."""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """Way to a model's server without litellm."""

    route: Route
    headers: Mapping[str, str]
    """With the keys."""
    proxy: str | None


class Ways:
    """Ways to models, as litellm says and the configuration has it."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._family = config.name.partition("/")[0]
        self._known: dict[str, Way | None] = {}
        self._again_at: dict[str, float] = {}
        """Model -> time of the next question, on the loop's clock."""

    async def to(self, model: str) -> Way | None:
        """The way to a model; None where litellm itself has to make the calls."""
        clock = asyncio.get_running_loop().time
        if model not in self._known and clock() >= self._again_at.get(model, 0.0):
            is_own_server = bool(self._config.api_base) and model.partition("/")[0] == self._family
            api_base = self._config.api_base if is_own_server else ""
            question = question_for(model, api_base, self._config.api_keys, os.environ)
            try:
                route = await asyncio.shield(asyncio.wrap_future(_resolving(question)))
            except NoAnswerError as error:
                self._again_at[model] = clock() + AGAIN_S
                _resolving.cache_clear()
                log.warning("%s; it makes the calls of %s itself for %g minutes", error, model, AGAIN_S / 60)
            else:
                self._known[model] = None if route is None else self._way(route, api_base)
        return self._known.get(model)

    def _way(self, route: Route, api_base: str) -> Way | None:
        address = address_for(route.address, api_base)
        if any(not self._key(name) for name in route.key_names()):  # litellm says so to a person
            return None
        if address.startswith("https:") and _OF_TLS & os.environ.keys():
            return None
        return Way(
            route=msgspec.structs.replace(route, address=address),
            headers=route.headers_with(self._key),
            proxy=proxy_for(address),
        )

    def _key(self, name: str) -> str:
        return self._config.api_keys.get(name) or os.environ.get(name, "")


@cache
def _resolving(question: Question) -> Future[Route | None]:
    """The answer to a question; not in a loop's executor, for which the loop's end would wait."""
    executor = ThreadPoolExecutor(1, "litellm-child")
    asking = executor.submit(lambda: asyncio.run(_resolve(question)))
    executor.shutdown(wait=False)
    return asking


async def _resolve(question: Question) -> Route | None:
    """The route; None where litellm has to make the calls.

    Raises:
        NoAnswerError: there is no answer.
    """
    with suppress(LookupError):
        return kept(question)
    try:
        said = await _said(msgspec.json.encode(question))
        route = msgspec.json.decode(said, type=Route | None)
        keep(question, route)
        return route
    except (OSError, TimeoutError, msgspec.MsgspecError, RecursionError) as error:
        raise NoAnswerError(f"litellm cannot be asked beside this process about {question.model}: {error!r}") from error


async def _said(question: bytes) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-c",
        _START,
        _PACKAGES,
        str(os.getpid()),
        env={"PATH": os.environ.get("PATH", os.defpath)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(CHILD_S):
            said, _ = await process.communicate(question)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return said


make_ready(__name__)
