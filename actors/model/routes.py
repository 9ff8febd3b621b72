"""Resolution of routes: litellm's listing, read in a separate process once per model, and the configuration."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

import actors
from actors.model.config import NO_KEY, ModelConfig
from actors.model.kept_routes import keep, read_kept
from actors.model.route import Listing, Route, base_address, is_set_elsewhere, route_to

log = logging.getLogger(__name__)

CHILD_S = 60.0
"""Time for importing litellm and asking; takes 3 s on a free machine."""
AGAIN_S = 600.0
"""Until litellm is asked again when there was no answer."""
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from actors.model.litellm_child import main; main()"
_PACKAGES = str(Path(actors.__file__).parents[1])
_OF_TLS = frozenset({"SSL_VERIFY", "SSL_CERTIFICATE", "SSL_SECURITY_LEVEL", "SSL_ECDH_CURVE"})
"""Variables that change litellm's TLS; with any set, litellm makes the calls."""


class NoAnswerError(Exception):
    """The process that asks litellm gave no answer; the text gives the reason."""


class Routes:
    """Routes to models, by litellm's listing and the configuration."""

    def __init__(self, config: ModelConfig, *, program: str = _PROGRAM, again_s: float = AGAIN_S) -> None:
        """Begin without routes.

        Args:
            config: Model, its address, and the keys.
            program: Python that asks litellm.
            again_s: Seconds until litellm is asked again after a missing answer.
        """
        self._config = config
        self._program = program
        self._again_s = again_s
        self._known: dict[str, Route | None] = {}
        self._listings: dict[str, Listing | None] = {}
        self._again_at: dict[str, float] = {}
        """Model -> time of the next question, on the loop's clock."""

    async def listing(self, model: str) -> Listing | None:
        """Litellm's listing of a model; None if litellm does not know the model, or cannot be asked."""
        await self.find(model)
        return self._listings.get(model)

    async def find(self, model: str) -> Route | None:
        """The route to a model; None if litellm itself has to make the calls."""
        clock = asyncio.get_running_loop().time
        if model not in self._known and clock() >= self._again_at.get(model, 0.0):
            try:
                listing = await self._listing(model)
            except NoAnswerError as error:
                self._again_at[model] = clock() + self._again_s
                log.warning("%s; it makes the calls of %s itself for %g minutes", error, model, self._again_s / 60)
            else:
                self._listings[model] = listing
                self._known[model] = None if listing is None else self._route(model, listing)
        return self._known.get(model)

    async def _listing(self, model: str) -> Listing | None:
        if self._config.api == "openai" and self._config.is_own(model):
            provider, _, name = model.partition("/")
            return Listing(provider=provider, name=name or provider)
        asking = _asking(model, self._program, self._config.routes_folder)
        try:
            return await asyncio.shield(asyncio.wrap_future(asking))
        except NoAnswerError:
            _asking.cache_clear()
            raise

    def _route(self, model: str, listing: Listing) -> Route | None:
        api_base = self._config.api_base if self._config.is_own(model) else ""
        name = f"{listing.provider.upper()}_API_KEY"
        key = self._config.api_keys.get(name) or os.environ.get(name, NO_KEY if api_base else "")
        base = base_address(listing, api_base)
        if not (listing.speaks_openai and base and key) or "?" in base:  # litellm says so to a person
            return None
        if is_set_elsewhere(listing.provider, os.environ):
            return None
        if base.startswith("https:") and _OF_TLS & os.environ.keys():
            return None
        route = route_to(listing, base, key, f"litellm/{version('litellm')}", streams=self._config.streams)
        return replace(route, provider="" if api_base else listing.provider)


@cache
def _asking(model: str, program: str, folder: Path | None) -> Future[Listing | None]:
    """The listing of a model; not in a loop's executor, as the loop's end would wait for the executor."""
    executor = ThreadPoolExecutor(1, "litellm-child")
    asking = executor.submit(lambda: asyncio.run(_ask(model, program, folder)))
    executor.shutdown(wait=False)
    return asking


async def _ask(model: str, program: str, folder: Path | None) -> Listing | None:
    """Listing of a model, kept or new.

    Raises:
        NoAnswerError: there is no answer.
    """
    with suppress(LookupError):
        return read_kept(model, folder)
    try:
        listing = msgspec.json.decode(await _run(program, model), type=Listing | None)
    except (OSError, TimeoutError, msgspec.MsgspecError, RecursionError) as error:
        raise NoAnswerError(f"litellm cannot be asked beside this process about {model}: {error!r}") from error
    keep(model, listing, folder)
    return listing


async def _run(program: str, model: str) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-c",
        program,
        _PACKAGES,
        str(os.getpid()),
        model,
        env={"PATH": os.environ.get("PATH", os.defpath)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(CHILD_S):
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output
