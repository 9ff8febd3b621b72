"""A ModelActor on a system of real threads, before a loopback model."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from actors.kernel import ActorSpec, ActorSystem, Clock
from actors.model.actor import ModelActor
from actors.model.backend import Backend
from actors.model.calls import Sleep
from actors.model.config import ModelConfig
from domain.turn.bash_tool import BASH_TOOL
from lab.loopback_model.server import LoopbackModel
from messages.base import Address, Message, RequestId, Surface, Window
from messages.model import (
    CancelModel,
    ChatMessage,
    ModelDelta,
    ModelFailed,
    ModelReply,
    ModelRequest,
    Role,
    ToolSpec,
)
from messages.status import DescribeYourself, SelfDescription
from tests.patience import PATIENCE_S

MODEL = Address("model")


def window(number: int = 0) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(100_000_000_000_000_000 + number))


def user(text: str) -> ChatMessage:
    return ChatMessage(role=Role.USER, text=text)


class Bench:
    """Asks a ModelActor and collects what it says. Waits between tries take no time and are noted."""

    def __init__(
        self,
        server: LoopbackModel,
        *,
        sleep: Sleep | None = None,
        backend_of: Callable[[ModelConfig], Backend] | None = None,
        clock: Clock | None = None,
        **settings: object,
    ) -> None:
        self.server = server
        self.waits: list[float] = []
        given = {"name": "hosted_vllm/test", "api_base": server.api_base, **settings}
        config = ModelConfig(**given)  # type: ignore[arg-type]
        self.system = ActorSystem(workers=2, clock=clock)

        def build(_key: str) -> ModelActor:
            backend = None if backend_of is None else backend_of(config)
            return ModelActor(config, backend=backend, sleep=sleep or self._note)

        self.system.register(ActorSpec("model", build, core=True))
        self.system.start()
        self.edge = self.system.edge("test")
        self._ids = (RequestId(f"r{number}") for number in itertools.count(1))

    async def _note(self, seconds: float) -> None:
        self.waits.append(seconds)

    def request(
        self,
        *messages: ChatMessage,
        of: Window | None = None,
        tools: tuple[ToolSpec, ...] = (BASH_TOOL,),
        system_prompt: str = "You are an agent.",
        model: str = "",
        purpose: str = "",
        is_background: bool = False,
        api_base: str = "",
        key_name: str = "",
    ) -> ModelRequest:
        return ModelRequest(
            request_id=next(self._ids),
            reply_to=self.edge.address,
            window=of or window(),
            system_prompt=system_prompt,
            messages=messages or (user("hello"),),
            tools=tools,
            model=model,
            purpose=purpose,
            is_background=is_background,
            api_base=api_base,
            key_name=key_name,
        )

    def rest(self) -> None:
        """Return when the actor has handled all that it was told."""
        asked = DescribeYourself(request_id=next(self._ids), reply_to=self.edge.address)
        self.tell(asked)
        self.edge.receive(PATIENCE_S, lambda m: isinstance(m, SelfDescription) and m.request_id == asked.request_id)

    def tell(self, message: Message) -> None:
        self.system.tell(MODEL, message)

    def ask(
        self, text: str = "hello", *, of: Window | None = None, purpose: str = "", is_background: bool = False
    ) -> RequestId:
        request = self.request(user(text), of=of, purpose=purpose, is_background=is_background)
        self.tell(request)
        return request.request_id

    def cancel(self, request_id: RequestId) -> None:
        self.tell(CancelModel(request_id=request_id))

    def end(self, request_id: RequestId) -> ModelReply | ModelFailed:
        """The reply or failure of that request; its deltas stay."""
        message = self.edge.receive(
            PATIENCE_S, lambda m: isinstance(m, ModelReply | ModelFailed) and m.request_id == request_id
        )
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
        message = self.edge.receive(PATIENCE_S, lambda m: isinstance(m, ModelDelta) and m.request_id == request_id)
        assert isinstance(message, ModelDelta)
        return message.text
