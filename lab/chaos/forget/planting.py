"""Planting of strings: people say, attach, quote, edit and run strings, and a model answers with strings."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import dataclass, field
from hashlib import blake2b

from domain.offline.model import prompt_of
from lab.bench.facts.rules import CallKind, answer_call, kind_of
from lab.chaos.forget.search import make_string
from lab.chaos.kills.settings import DIMENSIONS
from lab.chaos.kills.stage import embeddings
from lab.loopback_model.answers import Answer, Behaviour, Call, Received
from lab.playground.server import PlaygroundServer
from messages.base import Surface, Window

REPLY_S = 120.0
IMPORTED = "imported"
"""Way of planting: said before the agent's first start, and taken in by its import."""
OUTPUT_LINES = 4_000
"""Lines of a command's output: too many to show, so the whole output is kept in a file."""
_RUN = "run: "
_TELL = "tell me about "


class Model:
    """Behaviour of a loopback model: runs a person's command, gives taught answers, and repeats all else."""

    def __init__(self) -> None:
        """Begin without taught answers."""
        self._lock = threading.Lock()
        self._taught: dict[str, str] = {}

    def teach(self, question: str, answer: str) -> None:
        """Answer a person's question with these words from now on."""
        with self._lock:
            self._taught[question] = answer

    def behave(self, request: Received) -> Behaviour:
        """Answer of the model."""
        kind = kind_of(request)
        if kind is CallKind.EMBED:
            return embeddings([_vector(str(text)) for text in request.body.get("input") or []])
        if kind is not CallKind.CHAT:
            return answer_call(kind, request)
        messages = request.body["messages"]
        words = _newest_words(messages)
        if messages[-1]["role"] == "tool":
            return Answer(text="That is what came of it.")
        if words.startswith(_RUN) and request.body.get("tools"):
            return Answer(calls=(Call("bash", json.dumps({"command": words.removeprefix(_RUN)})),))
        with self._lock:
            return Answer(text=self._taught.get(words, f"I have noted: {words}"))


def _vector(text: str) -> list[float]:
    """Vector near to no other text's, so no topic has the words of other people."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIMENSIONS).digest()
    return [byte / 127.5 - 1.0 for byte in digest]


def _newest_words(messages: list[dict[str, object]]) -> str:
    newest = next((each["content"] for each in reversed(messages) if each["role"] == "user"), "")
    if not isinstance(newest, str):
        newest = "\n".join(str(part.get("text", "")) for part in newest) if isinstance(newest, list) else ""
    return prompt_of(newest).strip()


@dataclass(slots=True)
class Planted:
    """Strings of a person in a window."""

    window: Window
    user: int
    message_ids: list[int] = field(default_factory=list)
    """Messages of the person, the oldest first."""
    strings: dict[str, str] = field(default_factory=dict)
    """String -> way of planting."""

    @property
    def channel_id(self) -> int:
        """Discord's number of the channel or thread."""
        return int(self.window.id)


class Planter:
    """People of a benchmark, used by one thread."""

    def __init__(self, server: PlaygroundServer, model: Model, chance: random.Random, channel_id: int) -> None:
        """Begin without messages.

        Args:
            server: Discord.
            model: Behaviour of the agent's model.
            chance: Source of the strings.
            channel_id: Channel in which threads are opened.
        """
        self._server, self._model, self._chance = server, model, chance
        self._channel_id = channel_id
        self._other = server.add_user("Quentin")
        self._number = 0

    def plant_past(self) -> Planted:
        """Have a new person say strings in the channel, while no agent hears it."""
        planted = Planted(Window(surface=Surface.DISCORD_CHANNEL, id=str(self._channel_id)), self._add_person())
        for text in ("My old word is {}, a year ago.", "Some time later it was {} instead."):
            words = text.format(self._fresh(planted, IMPORTED))
            planted.message_ids.append(self._server.say(self._channel_id, words, user=planted.user))
        return planted

    def _add_person(self) -> int:
        self._number += 1
        return self._server.add_user(f"Person{self._number}")

    def plant(self) -> Planted:
        """Have a new person plant a string in each way, in a new thread that `/new` gives a second log."""
        user = self._add_person()
        thread = self._server.create_thread(self._channel_id, f"thread {self._number}", user=user)
        planted = Planted(Window(surface=Surface.DISCORD_THREAD, id=str(thread)), user)
        typed = self._fresh(planted, "typed")
        self._say(planted, f"My word is {typed}, remember that please.")
        fact = self._fresh(planted, "fact")
        self._say(planted, f"I keep a {fact} at Old Street 4, locker mark-fact{self._number}x-{self._number}.")
        name, content = self._fresh(planted, "file name"), self._fresh(planted, "file")
        self._say(planted, f"here is file {self._number}", (f"{name}.txt", content.encode()))
        output = self._fresh(planted, "output")
        self._say(planted, f"{_RUN}echo {output[:12]}''{output[12:]}")
        token = self._fresh(planted, "kept output")
        self._say(planted, f"{_RUN}for i in $(seq {OUTPUT_LINES}); do echo {token}; done")
        before, after = self._fresh(planted, "before an edit"), self._fresh(planted, "after an edit")
        edited = self._say(planted, f"An edit of {before} follows in a moment.")
        self._server.edit(thread, edited, f"An edit of {after} was made here.")
        deleted = self._fresh(planted, "deleted")
        self._server.delete(thread, self._say(planted, f"This {deleted} is deleted in Discord soon."))
        self._server.slash(thread, "new", user=user, timeout_s=REPLY_S)
        answer = self._fresh(planted, "answer")
        question = f"{_TELL}number {self._number}"
        self._model.teach(question, f"It is called {answer}, as far as I know.")
        self._say(planted, question)
        self._quote(planted)
        return planted

    def _quote(self, planted: Planted) -> None:
        """Have another person quote the first message, with words added."""
        quoted = planted.message_ids[0]
        message_id = self._server.say(
            planted.channel_id, "What is meant by that word?", user=self._other, reply_to=quoted
        )
        self._server.wait_for_reply(planted.channel_id, after=message_id, timeout_s=REPLY_S)

    def _fresh(self, planted: Planted, way: str) -> str:
        string = make_string(self._chance)
        planted.strings[string] = way
        return string

    def _say(self, planted: Planted, text: str, *files: tuple[str, bytes]) -> int:
        message_id = self._server.say(planted.channel_id, text, user=planted.user, attachments=files)
        planted.message_ids.append(message_id)
        self._server.wait_for_reply(planted.channel_id, after=message_id, timeout_s=REPLY_S)
        return message_id
