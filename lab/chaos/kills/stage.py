"""Stage of a batch: people and windows on the playground, and every act there; keeps the ledger's truth."""

from __future__ import annotations

import contextlib
import random
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from domain.text.running_text import is_running
from lab.bench.facts.rules import CallKind, answer_call, kind_of, text_of
from lab.bench.facts.words import MARK
from lab.chaos.kills.ledger import BotMessage, SentMessage
from lab.chaos.kills.rows import Change, Say, Trap, Where
from lab.chaos.kills.settings import DIMENSIONS
from lab.chaos.kills.texts import HOSTILE, PLAIN, question, read_question, respond, token_of
from lab.loopback_model.answers import Behaviour, Raw, Received
from lab.loopback_model.server import LoopbackModel
from lab.playground.gateway.events import Event
from lab.playground.gateway.protocol import Gateway
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID
from lab.playground.world.faults import Fault

PEOPLE = 3
COMMAND_S = 3.0
"""Seconds to wait for a command's answer, possibly cut off by the bot's death."""
_ANSWERS = (0, 19)
"""Types of messages with words of their own, unlike messages made by Discord or a command."""
_EMBEDDINGS = "/embeddings"


class Stage:
    """World of a batch; one thread acts, the playground's and the model's hear.

    Everything is fresh but the server: channel, people, direct messages.
    """

    def __init__(self, server: PlaygroundServer, model: LoopbackModel, choices: random.Random, name: str) -> None:
        """Create a channel with people, without messages."""
        self._server = server
        self._choices = choices
        self.channel_id = server.create_channel(name)
        self._people = [server.add_user(f"{name} {number}") for number in range(PEOPLE)]
        self._dms = [(server.open_dm(user=user), user) for user in self._people]
        self._threads: list[int] = []
        self.messages: list[SentMessage] = []
        self.begun_anew = 0
        """Number of received commands to begin a new conversation."""
        self.embedder_faults: deque[Behaviour] = deque()
        self.model_faults: deque[Behaviour] = deque()
        self.trap: Callable[[Trap], None] = lambda _occasion: None
        """Called with every occasion of a kill, in the thread of the occasion."""
        self._answers: dict[int, BotMessage] = {}
        self._news = threading.Condition()
        self._unsubscribe = server.subscribe(self._on_event)
        model.behave = self._answer
        self.arm()

    def close(self) -> None:
        """Stop listening."""
        self._unsubscribe()
        self._server.clear_faults()

    # acts of people

    def say(self, act: Say) -> int:
        """Say a message; return the window."""
        channel_id, user = self._place(act.where)
        self.say_in(channel_id, user, act)
        return channel_id

    def say_in(self, channel_id: int, user: int, act: Say) -> SentMessage:
        """Say a message of a person in the given window."""
        token = token_of(self._choices)
        # It counts as said before the bot can hear of it, so that nobody takes its answer for an odd one.
        content = random.Random(token).randbytes(act.file_bytes)
        files = [(f"{token}.bin", content)] if content else []
        message_id = self._server.say(channel_id, question(token, act.wants, act.body), user=user, attachments=files)
        if act.is_unreadable:
            self._server.garble(message_id)
        sent = SentMessage(
            channel_id=channel_id,
            message_id=message_id,
            token=token,
            text=self._text_of(channel_id, message_id),
            is_excused=act.is_unreadable,
            file=content,
        )
        self.messages.append(sent)
        return sent

    def change(self, act: Change) -> None:
        """Edit or delete one of the newest messages; edits keep the token and the wish."""
        place = len(self.messages) - act.back
        sent = self.messages[place] if place >= 0 else None
        if sent is None or sent.is_deleted or sent.is_excused:
            return
        if act.is_deletion:
            self._server.delete(sent.channel_id, sent.message_id)
            self.messages[place] = replace(sent, is_deleted=True)
            return
        _, wants = read_question(sent.text) or ("", PLAIN)
        self._server.edit(sent.channel_id, sent.message_id, question(sent.token, wants, self._choices.choice(HOSTILE)))
        text = self._text_of(sent.channel_id, sent.message_id)
        if text != sent.text:
            self.messages[place] = replace(sent, text=text, earlier=(*sent.earlier, sent.text))

    def _text_of(self, channel_id: int, message_id: int) -> str:
        """Text of a message in Discord's present state."""
        return str(self._server.messages(channel_id, after=message_id - 1, limit=1)[0]["content"])

    def begin_anew(self) -> None:
        """Begin a new conversation in a recent window, if the bot is there to receive the command."""
        channel_id = self._choices.choice(self.messages[-3:]).channel_id if self.messages else self.channel_id
        user = next((user for dm, user in self._dms if dm == channel_id), self._people[0])
        with contextlib.suppress(TimeoutError, ValueError):  # the bot is away, or dies meanwhile
            self._server.wait_until_online(timeout_s=COMMAND_S)
            self._server.slash(channel_id, "new", user=user, timeout_s=COMMAND_S)
            self.begun_anew += 1

    @property
    def people(self) -> list[int]:
        """User ids."""
        return self._people

    @property
    def dms(self) -> list[tuple[int, int]]:
        """(Channel, user) of the direct messages with each of the people."""
        return self._dms

    def new_thread(self, user: int) -> int:
        """Create a thread of a person, with the bot as a member."""
        is_private = self._choices.random() < 0.2
        thread_id = self._server.create_thread(self.channel_id, "thread", user=user, private=is_private)
        self._threads.append(thread_id)
        return thread_id

    def _place(self, where: Where) -> tuple[int, int]:
        user = self._choices.choice(self._people)
        match where:
            case Where.CHANNEL:
                return self.channel_id, user
            case Where.DM:
                return self._choices.choice(self._dms)
            case Where.OLD if self._threads:
                return self._choices.choice(self._threads), user
            case _:
                return self.new_thread(user), user

    # what the bot did

    def bot_messages(self) -> list[BotMessage]:
        """Present messages of the bot in the windows of this stage."""
        ids = [self.channel_id, *self._threads, *(channel_id for channel_id, _ in self._dms)]
        payloads = [each for channel_id in ids for each in self._server.messages(channel_id, limit=10_000)]
        return [self._whole(payload) for payload in payloads if _is_bots(payload)]

    def _whole(self, payload: dict[str, Any]) -> BotMessage:
        """Message with its file's content instead of the content's beginning."""
        files = [self._server.file(int(each["id"])).decode(errors="replace") for each in payload["attachments"]]
        message = _message_of(payload)
        return replace(message, text="\n".join(files)) if files else message

    def shown_so_far(self) -> list[BotMessage]:
        """Bot messages by the events received, including deleted messages."""
        with self._news:
            return list(self._answers.values())

    def wait(self, timeout_s: float) -> None:
        """Return at the next event of the bot, or after `timeout_s` seconds."""
        with self._news:
            self._news.wait(timeout_s)

    def arm(self) -> None:
        """Watch the bot's calls to Discord; armed faults go first."""
        self._server.choose_faults(self._on_call)

    def _on_call(self, gateway: Gateway, request: str) -> Fault | None:  # noqa: ARG002 - no fault comes from here
        self.trap(Trap.CALL)
        if request.startswith("GET ") and request.endswith("/messages"):
            self.trap(Trap.HISTORY)
        return None

    def _on_event(self, event: Event) -> None:
        if event.name not in ("MESSAGE_CREATE", "MESSAGE_UPDATE") or not _is_bots(event.payload):
            return
        message = _message_of(event.payload)
        with self._news:
            self._answers[message.message_id] = message
            self._news.notify_all()
        self.trap(Trap.SHOWN)

    # the model

    def _answer(self, request: Received) -> Behaviour:
        if request.path.endswith(_EMBEDDINGS):
            return self.embedder_faults.popleft() if self.embedder_faults else _vectors(request)
        self.trap(Trap.MODEL)
        if self.model_faults:
            return self.model_faults.popleft()
        kind = kind_of(request)
        is_gateways = kind is not CallKind.CHAT or MARK.search(text_of(request, "user"))
        return answer_call(kind, request) if is_gateways else respond(request)


def _is_bots(payload: dict[str, Any]) -> bool:
    author = payload.get("author")
    return isinstance(author, dict) and author.get("id") == str(BOT_ID) and payload.get("type") in _ANSWERS


def _message_of(payload: dict[str, Any]) -> BotMessage:
    reference = payload.get("message_reference")
    target = reference.get("message_id") if isinstance(reference, dict) else None
    return BotMessage(
        channel_id=int(str(payload["channel_id"])),
        message_id=int(str(payload["id"])),
        text=str(payload["content"]),
        replies_to=int(target) if target else 0,
        is_running=is_running(str(payload["content"])),
        has_file=bool(payload["attachments"]),
    )


def _vectors(request: Received) -> Behaviour:
    texts = request.body.get("input") or []
    return embeddings([[1.0 + len(str(text)) % 7, *[1.0] * (DIMENSIONS - 1)] for text in texts])


def embeddings(vectors: list[list[float]]) -> Behaviour:
    """Answer of an embedder."""
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    body = {"object": "list", "model": "loopback", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    return Raw(msgspec.json.encode(body).replace(b"null", b"NaN"), "application/json")
