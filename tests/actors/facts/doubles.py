"""An embedder and a model that the facts ask, which say what a test wants, when it wants."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import numpy as np

from actors.kernel import Actor
from messages.base import Message
from messages.embedder import EmbeddingFailed, EmbedTexts, RerankFailed, RerankTexts, TextsEmbedded, TextsReranked
from messages.model import ModelFailed, ModelReply, ModelRequest, StopReason, Usage

SIZE = 64
ANNE = "The user's wife is named Anne"


def vector_of(text: str, size: int = SIZE) -> bytes:
    """Words that two texts share bring their vectors near."""
    vector = np.zeros(size, dtype="<f4")
    for word in text.casefold().split():
        place = int(hashlib.md5(word.strip(".,!?'").encode()).hexdigest(), 16)
        vector[place % size] += 1
    if not vector.any():
        vector[0] = 1
    return bytes((vector / np.linalg.norm(vector)).astype("<f4").tobytes())


class EmbedderDouble(Actor):
    """Embeds by words."""

    def __init__(self, script: EmbedderScript) -> None:
        super().__init__()
        self._script = script

    def handle(self, message: Message) -> None:
        assert isinstance(message, EmbedTexts)
        script = self._script
        script.asked.append(message)
        if script.is_silent:
            return
        if script.failure:
            answer: Message = EmbeddingFailed(request_id=message.request_id, reason=script.failure, is_permanent=False)
        else:
            bad = tuple(place for place, text in enumerate(message.texts) if script.bad and script.bad in text)
            answer = TextsEmbedded(
                request_id=message.request_id,
                model=f"{script.model}/{script.size}",
                vectors=tuple(
                    b"" if place in bad else vector_of(text, script.size) for place, text in enumerate(message.texts)
                ),
                set_aside=() if script.again_s else bad,
                put_off=bad if script.again_s else (),
                again_s=script.again_s if bad else 0.0,
            )
        self.tell(message.reply_to, answer)


class EmbedderScript:
    """Behaviour of the embedder."""

    def __init__(self) -> None:
        self.asked: list[EmbedTexts] = []
        self.failure = ""
        self.bad = ""
        """Word of texts that are set aside; empty for none."""
        self.again_s = 0.0
        """Seconds for which they are put off instead; 0 for not."""
        self.is_silent = False
        self.model = "openai/m"
        self.size = SIZE

    @property
    def texts(self) -> list[str]:
        """All that was embedded, in order."""
        return [text for message in self.asked for text in message.texts]


class ModelDouble(Actor):
    """Answers as its script says."""

    def __init__(self, script: ModelScript) -> None:
        super().__init__()
        self._script = script
        script.reply = self.answer

    def handle(self, message: Message) -> None:
        assert isinstance(message, ModelRequest)
        self._script.asked.append(message)
        if message.purpose in self._script.silent:
            self._script.held.append(message)
            return
        self.answer(message)

    def answer(self, message: ModelRequest) -> None:
        failure = self._script.failures.get(message.purpose, "")
        if any(word in message.messages[-1].text for word in self._script.failing_words):
            failure = "it is poison"
        if failure:
            self.tell(
                message.reply_to,
                ModelFailed(
                    request_id=message.request_id, reason=failure, attempts=4, is_permanent=self._script.refuses
                ),
            )
            return
        text = self._script.say(message.purpose, message.messages[-1].text)
        reply = ModelReply(
            request_id=message.request_id,
            text=text,
            tool_calls=(),
            stop_reason=StopReason.STOP,
            usage=Usage(),
            model=message.model,
        )
        self.tell(message.reply_to, reply)


class ModelScript:
    """Behaviour of the model."""

    def __init__(self) -> None:
        self.asked: list[ModelRequest] = []
        self.held: list[ModelRequest] = []
        self.reply: Callable[[ModelRequest], None] = self.held.append
        """Function that answers a request, of the life in hand."""
        self.silent: set[str] = set()
        """Purposes that get no answer."""
        self.failures: dict[str, str] = {}
        self.failing_words: set[str] = set()
        self.refuses = False
        """True if its failures are refusals for good."""
        self.extract: Callable[[str], str] = lambda words: json.dumps([f"The user said: {words}"])
        self.extract_several: Callable[[list[dict[str, str]]], str] = self._extract_each
        self.answers: dict[str, str] = {}
        """Purpose -> the one answer to all its calls."""
        self.reconcile: Callable[[list[str], list[str]], str] = _add_all
        self.summarize: Callable[[str], str] = lambda text: f"summary of {len(text)} characters"

    def say(self, purpose: str, text: str) -> str:
        if purpose in self.answers:
            return self.answers[purpose]
        if purpose == "facts.extract":
            said = json.loads(text.split("\n", 1)[1])
            return self.extract(said) if isinstance(said, str) else self.extract_several(said)
        if purpose == "facts.reconcile":
            existing, new = text.removeprefix("Existing memories:\n").split("\n\nNew facts:\n")
            return self.reconcile([each["text"] for each in json.loads(existing)], json.loads(new))
        return self.summarize(text)

    def _extract_each(self, said: list[dict[str, str]]) -> str:
        facts = [(each["message"], fact) for each in said for fact in json.loads(self.extract(each["text"]))]
        return json.dumps([{"message": number, "fact": fact} for number, fact in facts])

    def purposes(self) -> list[str]:
        return [message.purpose for message in self.asked]


class RerankerDouble(Actor):
    """Judges by a function."""

    def __init__(self, judge: Callable[[str, str], float] | None) -> None:
        super().__init__()
        self._judge = judge

    def handle(self, message: Message) -> None:
        assert isinstance(message, RerankTexts)
        if self._judge is None:
            self.tell(message.reply_to, RerankFailed(request_id=message.request_id, reason="the reranker is gone"))
            return
        scores = tuple(self._judge(message.query, text) for text in message.texts)
        self.tell(message.reply_to, TextsReranked(request_id=message.request_id, scores=scores, are_logits=True))


def _add_all(existing: list[str], new: list[str]) -> str:
    kept = [{"id": place, "text": text, "event": "NONE"} for place, text in enumerate(existing)]
    added = [{"id": len(existing) + place, "text": text, "event": "ADD"} for place, text in enumerate(new)]
    return json.dumps(kept + added)
