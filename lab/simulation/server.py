"""Discord for people and bots: channels with messages, REST calls, and the gateway's events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from lab.discord_json import Json
from lab.simulation import payloads
from lab.simulation.payloads import BOT, GUILD
from messages.base import Surface, Window

NONCE_LIFE_S = 180.0
"""Seconds for which Discord knows a nonce."""
_PAGE = 50


class RestError(Exception):
    """A call answered with an error."""

    def __init__(self, status: int, code: int = 0) -> None:
        super().__init__(f"{status}")
        self.status, self.code = status, code


@dataclass(slots=True)
class Post:
    """One message in a channel."""

    number: int
    author: int
    text: str
    at: float
    """Seconds of the run."""
    nonce: str = ""
    answers: int = 0
    """Id of the message that the post replies to."""
    components: list[Any] = field(default_factory=list)
    reactions: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Place:
    """A channel, thread or direct messages."""

    number: int
    parent: int = 0
    """Of a thread."""
    person: int = 0
    """Of direct messages."""
    posts: dict[int, Post] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        """Id of the newest message; 0 without messages."""
        return next(reversed(self.posts), 0)

    @property
    def window(self) -> Window:
        """Context window of the place."""
        if self.person:
            return Window(surface=Surface.DISCORD_DM, id=str(self.number))
        return Window(surface=Surface.DISCORD_THREAD if self.parent else Surface.DISCORD_CHANNEL, id=str(self.number))


class DiscordServer:
    """The world's side of Discord; it outlives the agent's lives."""

    def __init__(self, now: Callable[[], float], began_ms: int, *, tells_nonces: bool) -> None:
        """An empty server.

        Args:
            now: True seconds since the run began.
            began_ms: When that was, in milliseconds since 1970.
            tells_nonces: Whether a channel's history says the nonces of messages.
        """
        self._now = now
        self._began_ms = began_ms
        self._tells_nonces = tells_nonces
        self._last = 0
        self.places: dict[int, Place] = {}
        self.hear: Callable[[str, Json], None] = lambda _event, _data: None
        """Told of every event of the gateway."""

    def now(self) -> datetime:
        """Time of the server's clock."""
        return datetime.fromtimestamp(self._began_ms / 1000 + self._now(), UTC)

    def snowflake(self) -> int:
        """An id greater than all before."""
        stamp = int(self._began_ms + self._now() * 1000) - payloads.EPOCH_MS
        self._last = max(self._last + 1, stamp << 22)
        return self._last

    # what people do

    def add(self, place: Place) -> Place:
        """A new channel, thread or conversation; of a thread the gateway tells."""
        self.places[place.number] = place
        if place.parent:
            self.hear("THREAD_CREATE", self.channel_json(place) | {"newly_created": True})
        return place

    def say(self, place: Place, author: int, text: str, *, nonce: str = "", answers: int = 0) -> Post:
        """Add a message and its event."""
        post = Post(self.snowflake(), author, text, self._now(), nonce, answers)
        place.posts[post.number] = post
        self.hear("MESSAGE_CREATE", self.message_json(place, post, for_gateway=True))
        return post

    # what a bot is told

    def guild_json(self) -> Json:
        """The whole server, as sent to a new session."""
        channels = [place for place in self.places.values() if not place.parent and not place.person]
        threads = [place for place in self.places.values() if place.parent]
        return payloads.guild([self.channel_json(each) for each in channels], [self.channel_json(t) for t in threads])

    def channel_json(self, place: Place) -> Json:
        """A channel object."""
        if place.person:
            return payloads.dm_channel(place.number, place.person, place.newest)
        if place.parent:
            return payloads.thread(place.number, place.parent, place.newest, len(place.posts))
        return payloads.text_channel(place.number, place.newest, place.number % 10)

    def message_json(self, place: Place, post: Post, *, for_gateway: bool = False) -> Json:
        """A message object."""
        data: Json = {
            "id": str(post.number),
            "channel_id": str(place.number),
            "type": 19 if post.answers else 0,
            "author": payloads.user(post.author),
            "content": post.text,
            "timestamp": payloads.instant_of(post.number),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "components": post.components,
            "pinned": False,
            "flags": 0,
        }
        if post.nonce and (self._tells_nonces or for_gateway):
            data["nonce"] = post.nonce
        if post.answers:
            data["message_reference"] = {"type": 0, "channel_id": str(place.number), "message_id": str(post.answers)}
            if not place.person:
                data["message_reference"]["guild_id"] = str(GUILD)
        if for_gateway and not place.person:
            data |= {"guild_id": str(GUILD), "member": payloads.member()}
        return data

    # what a bot asks

    def rest(self, method: str, path: str, query: Json, body: Json) -> Any:
        """The answer to a call.

        Raises:
            RestError: the call is refused.
        """
        match (method, *path.strip("/").split("/")):
            case ("GET", "users", "@me"):
                return payloads.user(BOT)
            case ("GET", "oauth2", "applications", "@me"):
                return payloads.application()
            case (_, "applications", *_):
                return []
            case ("POST", "users", "@me", "channels"):
                person = int(body["recipient_id"])
                return self.channel_json(next(each for each in self.places.values() if each.person == person))
            case ("GET", "channels", number):
                return self.channel_json(self._place(number))
            case ("GET", "channels", number, "messages"):
                return self._history(self._place(number), query)
            case ("POST", "channels", number, "messages"):
                return self._post(self._place(number), body)
            case (_, "channels", number, "messages", message, "reactions", *_):
                self._message(number, message)
                return None
            case ("GET", "channels", number, "messages", message):
                return self.message_json(self._place(number), self._message(number, message))
            case ("PATCH", "channels", number, "messages", message):
                return self._edit(self._place(number), self._message(number, message), body)
            case ("DELETE", "channels", number, "messages", message):
                del self._place(number).posts[self._message(number, message).number]
                return None
            case ("POST", "channels", _, "typing"):
                return None
            case ("GET", "channels", _, "threads", "archived", _) | ("GET", "channels", _, "users", *_):
                return {"threads": [], "members": [], "has_more": False}
            case ("GET", "guilds", _, "members", person):
                return {**payloads.member(), "user": payloads.user(int(person))}
            case ("GET", "guilds", _, "threads", "active"):
                threads = [self.channel_json(place) for place in self.places.values() if place.parent]
                return {"threads": threads, "members": []}
            case _:
                raise RestError(404, 0)

    def _place(self, number: str) -> Place:
        if (place := self.places.get(int(number))) is None:
            raise RestError(404, 10003)
        return place

    def _message(self, number: str, message: str) -> Post:
        post = self._place(number).posts.get(int(message))
        if post is None:
            raise RestError(404, 10008)
        return post

    def _history(self, place: Place, query: Json) -> list[Json]:
        limit = int(query.get("limit", _PAGE))
        posts = list(place.posts.values())
        if (after := query.get("after")) is not None:
            posts = [post for post in posts if post.number > int(after)][:limit]
        elif (before := query.get("before")) is not None:
            posts = [post for post in posts if post.number < int(before)][-limit:]
        else:
            posts = posts[-limit:]
        return [self.message_json(place, post) for post in reversed(posts)]

    def _post(self, place: Place, body: Json) -> Json:
        nonce = str(body.get("nonce") or "")
        if nonce and body.get("enforce_nonce"):
            for post in place.posts.values():
                if post.author == BOT and post.nonce == nonce and self._now() - post.at <= NONCE_LIFE_S:
                    return self.message_json(place, post, for_gateway=True)
        answers = int((body.get("message_reference") or {}).get("message_id") or 0)
        post = self.say(place, BOT, body.get("content") or "", nonce=nonce, answers=answers)
        post.components = body.get("components") or []
        return self.message_json(place, post, for_gateway=True)

    def _edit(self, place: Place, post: Post, body: Json) -> Json:
        if "content" in body:
            post.text = body["content"] or ""
        if "components" in body:
            post.components = body["components"] or []
        return self.message_json(place, post)
