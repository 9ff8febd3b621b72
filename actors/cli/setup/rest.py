"""Discord's REST API, as far as a setup asks it: who the bot is, where it is, which channels and people there are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp

PATIENCE_S = 20.0
MOST_TRIES = 4
LONGEST_WAIT_S = 10.0
MOST_ANSWER_BYTES = 16 * 1024 * 1024
MOST_PEOPLE = 25


class DiscordError(Exception):
    """Discord cannot be asked, or refuses; the text says what to do, and never holds the token."""

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status


class DiscordRest:
    """Questions to Discord, one after the other, as one bot; made anew for each, since a person thinks in between."""

    def __init__(self, api_base: str, token: str) -> None:
        """Nothing is asked yet.

        Args:
            api_base: Such as `https://discord.com/api/v10`.
            token: The bot's.
        """
        self._api_base = api_base.rstrip("/")
        self._token = token

    def me(self) -> Mapping[str, Any]:
        """The bot's user; so the token is tried."""
        try:
            return _table(self.get("/users/@me"))
        except DiscordError as error:
            if error.status != 401:
                raise
            raise DiscordError(
                "Discord does not know this token: on the application's page Bot, press Reset Token and copy it anew",
                401,
            ) from None

    def application(self) -> Mapping[str, Any]:
        """The bot's application, with its flags."""
        return _table(self.get("/applications/@me"))

    def guilds(self) -> list[Mapping[str, Any]]:
        """The servers that the bot is in, each with its permissions there."""
        return _tables(self.get("/users/@me/guilds"))

    def guild(self, guild_id: str) -> Mapping[str, Any]:
        """A server, with its roles."""
        return _table(self.get(f"/guilds/{guild_id}"))

    def member(self, guild_id: str, user_id: str) -> Mapping[str, Any]:
        """A member of a server."""
        return _table(self.get(f"/guilds/{guild_id}/members/{user_id}"))

    def channels(self, guild_id: str) -> list[Mapping[str, Any]]:
        """A server's channels and categories."""
        return _tables(self.get(f"/guilds/{guild_id}/channels"))

    def people(self, guild_id: str, name: str) -> list[Mapping[str, Any]]:
        """Members whose name or nickname begins with `name`; no privileged intent is needed for it."""
        return _tables(self.get(f"/guilds/{guild_id}/members/search?query={quote(name)}&limit={MOST_PEOPLE}"))

    def get(self, path: str) -> object:
        """What `GET path` answers.

        Raises:
            DiscordError: nothing that can be used.
        """
        return asyncio.run(self._get(path))

    async def _get(self, path: str) -> object:
        headers = {"Authorization": f"Bot {self._token}", "User-Agent": "DiscordBot (remembrancer, 0.1)"}
        timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
        try:
            connector = aiohttp.TCPConnector(force_close=True)
            async with aiohttp.ClientSession(
                headers=headers, timeout=timeout, trust_env=True, connector=connector
            ) as session:
                for _ in range(MOST_TRIES):
                    async with session.get(self._api_base + path, allow_redirects=False) as response:
                        data = await response.content.read(MOST_ANSWER_BYTES)
                        wait_s = _asked_wait_s(response)
                        if wait_s is None:
                            return _read(response.status, data, path)
                    await asyncio.sleep(wait_s)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            words = str(error) or type(error).__name__
            raise DiscordError(f"{self._api_base} cannot be asked: {words}") from None
        raise DiscordError("Discord asks for more patience (429): try again in a minute", 429)


def _asked_wait_s(response: aiohttp.ClientResponse) -> float | None:
    """For how long to wait before asking again; None to take this answer."""
    if response.status != 429 and response.status < 500:
        return None
    try:
        asked = float(response.headers.get("Retry-After", "1"))
    except ValueError:
        asked = 1.0
    return min(max(asked, 0.2), LONGEST_WAIT_S)


def _read(status: int, data: bytes, path: str) -> object:
    place = path.partition("?")[0]
    try:
        said = json.loads(data)
    except ValueError:
        raise DiscordError(f"GET {place}: status {status}, and no JSON: is this Discord's address?", status) from None
    if status == 200:
        return said
    words = said.get("message", "") if isinstance(said, dict) else ""
    raise DiscordError(f"GET {place}: Discord says {status} {str(words)[:200]}".rstrip(), status)


def _table(said: object) -> Mapping[str, Any]:
    if not isinstance(said, dict):
        raise DiscordError("Discord's answer has not the form that is documented")
    return said


def _tables(said: object) -> list[Mapping[str, Any]]:
    if not isinstance(said, list):
        raise DiscordError("Discord's answer has not the form that is documented")
    return [each for each in said if isinstance(each, dict)]
