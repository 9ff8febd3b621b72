"""A RerankerActor on a system of real threads, and what its model on this machine is made of."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from actors.embedder.local import model_folder
from actors.facts.reranking.actor import RerankerActor
from actors.facts.reranking.judge import Judge
from actors.kernel import ActorSpec, ActorSystem
from messages.base import RequestId
from messages.embedder import RERANKER, RerankFailed, RerankTexts, TextsReranked
from messages.model import SPENT
from messages.status import DescribeYourself, SelfDescription
from tests.patience import PATIENCE_S

SEPARATOR = 102
"""Id of the token that ends a query, and a text."""


class Rig:
    """Asks a RerankerActor and collects what it says."""

    def __init__(self, judge_of: Callable[[Callable[[], datetime]], Judge]) -> None:
        self.system = ActorSystem(workers=2)
        self.system.register(ActorSpec("reranker", lambda _key: RerankerActor(judge_of), is_eager=True))
        self.system.start()
        self.edge = self.system.edge("test")
        self.ear = self.system.edge("ear")
        self.ear.follow(SPENT)
        self._ids = (RequestId(f"r{number}") for number in itertools.count(1))

    def ask(
        self, query: str, *texts: str, deadline_s: float = PATIENCE_S, request_id: RequestId | None = None
    ) -> RequestId:
        request = RerankTexts(
            request_id=request_id or next(self._ids),
            reply_to=self.edge.address,
            query=query,
            texts=texts,
            deadline_s=deadline_s,
        )
        self.system.tell(RERANKER, request)
        return request.request_id

    def answer(self, request_id: RequestId) -> TextsReranked | RerankFailed:
        message = self.edge.receive(
            PATIENCE_S, lambda m: isinstance(m, TextsReranked | RerankFailed) and m.request_id == request_id
        )
        assert isinstance(message, TextsReranked | RerankFailed)
        return message

    def scores(self, query: str, *texts: str) -> tuple[float, ...]:
        message = self.answer(self.ask(query, *texts))
        assert isinstance(message, TextsReranked), message
        return message.scores

    def reason(self, request_id: RequestId) -> str:
        message = self.answer(request_id)
        assert isinstance(message, RerankFailed), message
        return message.reason

    def has_answer(self) -> bool:
        try:
            self.edge.receive(0, lambda m: isinstance(m, TextsReranked | RerankFailed))
        except TimeoutError:
            return False
        return True

    def figures(self) -> dict[str, str | int | float]:
        self.system.tell(RERANKER, DescribeYourself(request_id=RequestId("d"), reply_to=self.edge.address))
        message = self.edge.receive(PATIENCE_S, lambda m: isinstance(m, SelfDescription))
        assert isinstance(message, SelfDescription)
        return dict(message.figures)


def words_in_common(fed: dict[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """Logits of a model that counts a text's tokens that the query has too."""
    logits = []
    for ids in fed["input_ids"].tolist():
        end = ids.index(SEPARATOR)
        query, text = set(ids[1:end]), ids[end + 1 : ids.index(SEPARATOR, end + 1)]
        logits.append([float(sum(token in query for token in text))])
    return np.array(logits, np.float32)


@dataclass
class Named:
    """Description of an input, as onnxruntime has it."""

    name: str


@dataclass
class Runtime:
    """Stands for the module onnxruntime: its sessions run a function."""

    model: Callable[[dict[str, np.ndarray[Any, Any]]], Any] = words_in_common
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids")
    fed: list[dict[str, np.ndarray[Any, Any]]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    begun: threading.Event = field(default_factory=threading.Event)
    broken: bool = False

    class SessionOptions:
        """Takes what is set."""

        def __init__(self) -> None:
            self.entries: dict[str, str] = {}

        def add_session_config_entry(self, name: str, value: str) -> None:
            self.entries[name] = value

    def InferenceSession(self, path: str, options: object, providers: list[str]) -> Runtime:  # noqa: N802
        assert isinstance(options, Runtime.SessionOptions)
        assert providers == ["CPUExecutionProvider"]
        self.opened.append(path)
        if self.broken:
            raise Exception("[ONNXRuntimeError] : 7 : INVALID_PROTOBUF")
        return self

    def get_inputs(self) -> list[Named]:
        return [Named(name) for name in self.inputs]

    def run(self, outputs: None, fed: dict[str, np.ndarray[Any, Any]]) -> list[Any]:
        assert outputs is None
        self.fed.append(fed)
        self.begun.set()
        return [self.model(fed)]


def folder_in(root: Path, model: str = "model.onnx") -> Path:
    """A folder with a tokenizer and a file that stands for a model."""
    (root / model).parent.mkdir(parents=True, exist_ok=True)
    (root / "tokenizer.json").symlink_to(model_folder() / "tokenizer.json")
    (root / model).write_bytes(b"a model")
    return root
