"""Discord's REST API, as needed for a setup: the bot's identity and servers, the channels and the people."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp

from actors.discord.part import USER_AGENT
from domain.facts.sound_text import sound
from domain.text.secret_scrub import Scrubber

PATIENCE_S = 20.0
MOST_TRIES = 4
LONGEST_WAIT_S = 10.0
MOST_ANSWER_BYTES = 16 * 1024 * 1024
MOST_PEOPLE = 25


class DiscordError(Exception):
    """Discord cannot be asked, or refuses; the text gives the remedy, and never holds the token."""

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status


class DiscordRest:
    """Questions to Discord, in sequence, as one bot; each on a new connection, since people think in between."""

    def __init__(
        self,
        api_base: str,
        token: str,
        *,
        longest_wait_s: float = LONGEST_WAIT_S,
        most_answer_bytes: int = MOST_ANSWER_BYTES,
    ) -> None:
        """Begin without a question.

        Args:
            api_base: Such as `https://discord.com/api/v10`.
            token: The bot's.
            longest_wait_s: Limit of a wait that Discord asks for.
            most_answer_bytes: Limit of an answer.
        """
        self._longest_wait_s = longest_wait_s
        self._most_answer_bytes = most_answer_bytes
        self._api_base = api_base.rstrip("/")
        self._token = token
        self._scrubber = Scrubber([token])

    def me(self) -> Mapping[str, Any]:
        """The bot's user; so the token is tried."""
        try:
            return _table(self.get("/users/@me"), "id", "username")
        except DiscordError as error:
            if error.status != 401:
                raise
            raise DiscordError(
                "Discord does not know this token: on the application's page Bot, press Reset Token and copy it anew",
                401,
            ) from None

    def application(self) -> Mapping[str, Any]:
        """The bot's application, with its flags."""
        return _table(self.get("/applications/@me"), "id")

    def guilds(self) -> list[Mapping[str, Any]]:
        """Servers of the bot."""
        return _tables(self.get("/users/@me/guilds"), "id", "name")

    def guild(self, guild_id: str) -> Mapping[str, Any]:
        """A server, with its roles."""
        guild = _table(self.get(f"/guilds/{guild_id}"), "id", "name", "roles")
        _tables(guild["roles"], "id", "permissions")
        return guild

    def member(self, guild_id: str, user_id: str) -> Mapping[str, Any]:
        """A member of a server."""
        return _member(self.get(f"/guilds/{guild_id}/members/{user_id}"))

    def channels(self, guild_id: str) -> list[Mapping[str, Any]]:
        """A server's channels and categories."""
        channels = _tables(self.get(f"/guilds/{guild_id}/channels"), "id", "type", "name")
        for channel in channels:
            _tables(channel.get("permission_overwrites") or [], "id", "allow", "deny")
        return channels

    def people(self, guild_id: str, name: str) -> list[Mapping[str, Any]]:
        """Members whose name or nickname begins with `name`; no privileged intent is needed."""
        query = f"query={quote(name, safe='')}&limit={MOST_PEOPLE}"
        return [_member(each) for each in _tables(self.get(f"/guilds/{guild_id}/members/search?{query}"), "user")]

    def get(self, path: str) -> object:
        """Answer to `GET path`.

        Raises:
            DiscordError: there is no usable answer.
        """
        try:
            return self._harmless(asyncio.run(self._get(path)))
        except RecursionError:
            raise DiscordError(f"GET {_place(path)}: an answer nested too deeply: is this Discord's address?") from None
        except DiscordError as error:
            raise DiscordError(self._words(str(error)), error.status) from None

    def _harmless(self, answer: object) -> object:
        """Discord's answer with harmless texts: each text is a single line for a file, without the token."""
        if isinstance(answer, str):
            return self._words(answer)
        if isinstance(answer, list):
            return [self._harmless(each) for each in answer]
        if isinstance(answer, dict):
            return {self._harmless(key): self._harmless(value) for key, value in answer.items()}
        return answer

    def _words(self, text: str) -> str:
        return self._scrubber.scrub(" ".join(sound(text).splitlines()))

    async def _get(self, path: str) -> object:
        headers = {"Authorization": f"Bot {self._token}", "User-Agent": USER_AGENT}
        timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
        try:
            connector = aiohttp.TCPConnector(force_close=True)
            async with aiohttp.ClientSession(
                headers=headers, timeout=timeout, trust_env=True, connector=connector
            ) as session:
                for left in reversed(range(MOST_TRIES)):
                    async with session.get(self._api_base + path, allow_redirects=False) as response:
                        data = await _whole(response, path, self._most_answer_bytes)
                        wait_s = _asked_wait_s(response, self._longest_wait_s)
                        if wait_s is None or not left:
                            return _read(response.status, data, path)
                    await asyncio.sleep(wait_s)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            words = str(error) or type(error).__name__
            raise DiscordError(f"{self._api_base} cannot be asked: {words}") from None
        raise AssertionError("the last try returns or raises")


async def _whole(response: aiohttp.ClientResponse, path: str, most_bytes: int) -> bytes:
    """Whole body of an answer; a read of the stream gives only the bytes so far."""
    data = bytearray()
    async for chunk in response.content.iter_any():
        data += chunk
        if len(data) > most_bytes:
            raise DiscordError(f"GET {_place(path)}: more than {most_bytes} bytes: is this Discord's address?")
    return bytes(data)


def _asked_wait_s(response: aiohttp.ClientResponse, longest_s: float) -> float | None:
    """Seconds to wait before asking again; None to take this answer."""
    if response.status != 429 and response.status < 500:
        return None
    try:
        wait_s = float(response.headers.get("Retry-After", "1"))
    except ValueError:
        wait_s = 1.0
    return min(longest_s, max(0.2, wait_s))  # in this order it is 0.2 for "nan"


def _read(status: int, data: bytes, path: str) -> object:
    place = _place(path)
    if status == 429:
        raise DiscordError(f"GET {place}: Discord's rate limit is reached (429): try again in a minute", status)
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        raise DiscordError(f"GET {place}: status {status}, and no JSON: is this Discord's address?", status) from None
    if status == 200:
        return answer
    words = answer.get("message", "") if isinstance(answer, dict) else ""
    raise DiscordError(f"GET {place}: Discord says {status} {str(words)[:200]}".rstrip(), status)


def _place(path: str) -> str:
    return path.partition("?")[0]


def _table(answer: object, *keys: str) -> Mapping[str, Any]:
    """Object with `keys`, and a number wherever Discord's documents specify a number."""
    if not isinstance(answer, dict) or any(answer.get(key) is None for key in keys):
        raise DiscordError(f"Discord's answer does not have the documented form: {', '.join(keys)} are required")
    for key in ("id", "permissions", "allow", "deny", "type", "position", "flags"):
        value = answer.get(key)
        if value is not None and not re.fullmatch(r"-?[0-9]{1,30}", str(value)):
            raise DiscordError(f"Discord's answer does not have the documented form: {key} must be a number")
    return answer


def _tables(value: object, *keys: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list):
        raise DiscordError("Discord's answer does not have the documented form: a list is required")
    return [_table(each, *keys) for each in value]


def _member(value: object) -> Mapping[str, Any]:
    member = _table(value, "user")
    _table(member["user"], "id", "username")
    if not isinstance(member.get("roles", []), list):
        raise DiscordError("Discord's answer does not have the documented form: roles must be a list")
    return member
