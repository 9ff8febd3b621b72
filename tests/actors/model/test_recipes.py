"""Recipes of docs/models.md: the agent, by their settings, before exchanges in the providers' wire forms."""

from __future__ import annotations

import asyncio
import base64
import logging
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import httpx
import msgspec
import pytest

from actors.kernel import LoopThread
from actors.model.backend import AttemptError, AttemptProgress
from actors.model.config import ModelConfig
from actors.model.provider import LitellmBackend, _Ending, load
from actors.model.routes import Routes
from domain.turn.bash_tool import BASH_TOOL
from lab.loopback_model.server import LoopbackModel
from messages.base import Address, RequestId
from messages.model import (
    SPENT,
    CallOutcome,
    CallSpent,
    ChatMessage,
    ImageFile,
    ModelFailed,
    ModelReply,
    ModelRequest,
    Role,
    ToolCall,
    Usage,
)
from tests.actors.model.bench import Bench, user, window
from tests.actors.model.recipes.recorded import Exchange, Recipe, RecordedServer, misses, recipes
from tests.patience import PATIENCE_S

RECIPES = recipes()
KEY = "sk-never-to-be-seen-0123456789"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
IMAGE = ImageFile(path="attachments/1/a.png", media_type="image/png")
LOOK = ToolCall(id="call_a", name="bash", arguments_json='{"command": "ls"}')
SIGNED = ToolCall(id=f"call_c__thought__{'CiQB+/z=' * 20}", name="bash", arguments_json='{"command": "ls"}')
WHERE = ToolCall(id="call_b", name="bash", arguments_json='{"command": "pwd"}')
NOW = datetime(2026, 11, 27, tzinfo=UTC)
REQUEST = ModelRequest(
    request_id=RequestId("r1"),
    reply_to=Address("test"),
    window=window(),
    system_prompt="You are an agent.",
    messages=(user("list the files"),),
    tools=(BASH_TOOL,),
)


class Kitchen(Bench):
    """Agent's model actor with the settings of a recipe, before a server that plays exchanges."""

    def __init__(self, recipe: Recipe, server: RecordedServer, *, by_litellm: bool = False) -> None:
        super().__init__(
            cast(LoopbackModel, server),  # of which the bench wants its address only, and here not even that
            name=recipe.model,
            api_base=server.api_base + recipe.api_base,
            api_keys={recipe.key or "OPENAI_API_KEY": KEY},
            retries=1,
            backend_of=(lambda config: LitellmBackend(config, lambda: datetime.now(UTC))) if by_litellm else None,
        )
        self.recipe, self.plays = recipe, server
        self.edge.follow(SPENT)

    def cook(self, exchange: Exchange, way: str, folder: Path) -> tuple[ModelReply | ModelFailed, list[CallSpent]]:
        """Outcome of an exchange: the answer, and the usage of each attempt."""
        messages = conversation(exchange.asked)
        if exchange.after:
            before, _ = self.cook(self.recipe.find_exchange(exchange.after), way, folder)
            assert isinstance(before, ModelReply)
            messages = going_on(before)
        self.waits.clear()
        holds = self.recipe.holds(exchange, way)
        holds = msgspec.json.decode(msgspec.json.encode(holds).replace(b"{image}", base64.b64encode(PNG)))
        self.plays.play(self.recipe.request, holds, exchange.response, KEY)
        request = msgspec.structs.replace(self.request(*messages), attachments=str(folder))
        if way == "address":
            direct = {"api_base": self.plays.api_base + self.recipe.api_base, "key_name": self.recipe.key}
            request = msgspec.structs.replace(request, model=self.recipe.served_as, **direct)
        self.tell(request)
        end = self.end(request.request_id)
        attempts = end.attempts if isinstance(end, ModelFailed) else exchange.gives.asked if exchange.gives else 1
        return end, [self._take_usage(request) for _ in range(attempts)]

    def _take_usage(self, request: ModelRequest) -> CallSpent:
        heard = self.edge.receive(PATIENCE_S, lambda m: isinstance(m, CallSpent) and m.call_id == request.request_id)
        assert isinstance(heard, CallSpent)
        return heard


def conversation(asked: str) -> tuple[ChatMessage, ...]:
    """A conversation that exchanges name."""
    if asked == "image":
        return (ChatMessage(role=Role.USER, text="what is it?", images=(IMAGE,)),)
    if asked == "results":
        return (
            user("list the files"),
            ChatMessage(role=Role.ASSISTANT, text="I look.", tool_calls=(LOOK, WHERE)),
            ChatMessage(role=Role.TOOL, text="a.txt", tool_call_id="call_a"),
            ChatMessage(role=Role.TOOL, text="/w", tool_call_id="call_b"),
        )
    if asked == "signed":
        return (
            user("list the files"),
            ChatMessage(role=Role.ASSISTANT, text="", tool_calls=(SIGNED,)),
            ChatMessage(role=Role.TOOL, text="a.txt", tool_call_id=SIGNED.id),
        )
    return (user("list the files"),)


def going_on(reply: ModelReply) -> tuple[ChatMessage, ...]:
    """The conversation after a reply whose calls were run."""
    said = ChatMessage(role=Role.ASSISTANT, text=reply.text, tool_calls=reply.tool_calls)
    results = (ChatMessage(role=Role.TOOL, text="done", tool_call_id=call.id) for call in reply.tool_calls)
    return (user("list the files"), said, *results)


@pytest.fixture(scope="module")
def kitchens(litellm: None) -> Iterator[dict[str, Kitchen]]:
    """One for each recipe, and one more where litellm makes the calls, each with a server of its own."""
    with warnings.catch_warnings(), ExitStack() as servers:
        warnings.simplefilter("ignore")  # pydantic's, about litellm's types
        made = dict[str, Kitchen]()
        for name, recipe in RECIPES.items():
            for by_litellm in (False, True):
                server = servers.enter_context(RecordedServer())
                made[f"{name}, litellm" if by_litellm else name] = Kitchen(recipe, server, by_litellm=by_litellm)
        yield made
        for kitchen in made.values():
            kitchen.system.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A window's folder of attachments that holds `IMAGE`."""
    file = tmp_path / IMAGE.path
    file.parent.mkdir(parents=True)
    file.write_bytes(PNG)
    return tmp_path / "attachments"


@pytest.mark.parametrize("name", RECIPES)
def test_exchanges_are_understood(
    kitchens: dict[str, Kitchen],
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    subtests: pytest.Subtests,
    name: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    for exchange in RECIPES[name].exchanges:
        for way in exchange.ways:
            with subtests.test(exchange=exchange.name, way=way):
                check_exchange(kitchens[f"{name}, litellm" if way == "litellm" else name], exchange, way, folder)
    assert KEY not in caplog.text


def check_exchange(kitchen: Kitchen, exchange: Exchange, way: str, folder: Path) -> None:
    end, spent = kitchen.cook(exchange, way, folder)

    assert kitchen.plays.misses == []
    assert [KEY in head for head in kitchen.plays.heads] == [bool(kitchen.recipe.key)] * len(kitchen.plays.bodies)
    assert ("stream" in kitchen.plays.bodies[-1]) == (way != "address" and bool(kitchen.recipe.streamed))
    if exchange.gives is not None:
        check_answer(end, spent, exchange)
    else:
        check_failure(kitchen, end, spent, exchange)
    assert KEY not in repr((end, spent))


def check_answer(end: ModelReply | ModelFailed, spent: list[CallSpent], exchange: Exchange) -> None:
    gives = exchange.gives
    assert gives is not None
    assert isinstance(end, ModelReply), end
    assert (end.text, [(call.name, call.arguments_json) for call in end.tool_calls]) == (gives.text, gives.calls)
    assert end.stop_reason == gives.stop
    assert len({call.id for call in end.tool_calls} - {""}) == len(gives.calls)
    assert len(spent) == gives.asked
    counts: list[tuple[Usage | CallSpent, int]] = [(end.usage, gives.asked), *((took, 1) for took in spent)]
    for usage, times in counts:
        counted = (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
        assert counted == (gives.usage.prompt * times, gives.usage.completion * times, gives.usage.cached * times)
        assert usage.cost_usd == pytest.approx(gives.cost_usd * times, abs=1e-12)
    assert {(took.outcome, took.is_estimated) for took in spent} == {(CallOutcome.ANSWERED, False)}


def check_failure(kitchen: Kitchen, end: ModelReply | ModelFailed, spent: list[CallSpent], exchange: Exchange) -> None:
    fails = exchange.fails
    assert fails is not None
    assert isinstance(end, ModelFailed), end
    twice = " 2 times" if fails.again else ""
    asked = f"; it asks to wait {fails.wait_s:.0f} s" if fails.wait_s else ""
    assert end.reason == f"{fails.says}{twice}{asked}"
    assert end.attempts == len(kitchen.plays.bodies) == (2 if fails.again else 1)
    assert [took.outcome for took in spent] == [CallOutcome.FAILED] * end.attempts
    if fails.wait_s:
        assert kitchen.waits == [fails.wait_s]
    has_begun = exchange.response.status == 200
    assert [took.is_estimated for took in spent] == [has_begun] * end.attempts
    assert has_begun or not any(took.prompt_tokens or took.cost_usd for took in spent)


def test_the_settings_choose_the_way_and_the_address_that_the_recipe_names(kitchens: dict[str, Kitchen]) -> None:
    for name, recipe in RECIPES.items():
        own = ModelConfig(name=recipe.model, api_base=kitchens[name].plays.api_base + recipe.api_base)
        assert (asyncio.run(Routes(own).find(recipe.model)) is not None) == recipe.without_litellm, name
        if recipe.address and recipe.without_litellm:
            config = ModelConfig(name=recipe.model, api_keys={recipe.key: KEY})
            route = asyncio.run(Routes(config).find(recipe.model))
            assert route is not None
            assert route.address == recipe.address
            assert route.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("name", [name for name, each in RECIPES.items() if each.address and not each.without_litellm])
def test_without_an_address_litellms_requests_go_to_the_providers_own(
    litellm: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    recipe = RECIPES[name]
    config = ModelConfig(name=recipe.model, api_keys={recipe.key: KEY})
    sent = list[httpx.Request]()

    async def note(_client: httpx.AsyncClient, request: httpx.Request, **_: object) -> None:
        sent.append(request)
        raise httpx.ConnectError("nothing is sent by this test")

    monkeypatch.setattr(httpx.AsyncClient, "send", note)

    fault = fault_of(config)

    assert {str(request.url) for request in sent} == {recipe.address}  # litellm itself tries twice
    wanted = {name: value.replace("{key}", KEY) for name, value in recipe.request.headers.items()}
    assert not [*misses(wanted, dict(sent[0].headers))]
    assert fault == "unreachable"


def test_litellm_is_asked_what_a_model_sees_only_where_there_is_something_to_see(
    kitchens: dict[str, Kitchen], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kitchen, asked = kitchens["anthropic"], list[str]()

    def sees(model: str) -> bool:
        asked.append(model)
        return True

    monkeypatch.setattr(load(kitchen.recipe.model).result(), "supports_vision", sees)

    kitchen.cook(kitchen.recipe.find_exchange("text"), "settings", folder)
    assert asked == []
    kitchen.cook(kitchen.recipe.find_exchange("an image"), "settings", folder)
    assert asked == [kitchen.recipe.model]


class Claude:
    """Stream of a model of another maker on Google's servers, as litellm gives it: its lines have no end of Gemini's."""

    custom_llm_provider = "vertex_ai"
    completion_stream: Claude | None = None

    def __init__(self) -> None:
        self.streaming_response = self

    async def fetch_stream(self) -> Claude:
        return self

    async def __aiter__(self) -> AsyncIterator[str]:
        yield "a chunk"


def test_another_makers_model_on_googles_servers_is_not_taken_for_broken_off() -> None:
    async def read() -> tuple[list[str], bool]:
        ending = _Ending(Claude())
        chunks = [chunk async for chunk in ending.chunks()]
        return chunks, ending.is_made_up

    assert asyncio.run(read()) == (["a chunk"], False)


def test_a_server_that_is_not_there_is_told_and_tried_again(litellm: None) -> None:
    for name, recipe in RECIPES.items():
        with RecordedServer() as server:
            kitchen = Kitchen(recipe, server)
        kitchen.tell(request := kitchen.request(user("list the files")))

        end = kitchen.failure(request.request_id)
        kitchen.system.stop()

        assert end.reason == "the model's server could not be reached 2 times", name


def fault_of(config: ModelConfig) -> str:
    """The kind of fault that a call through litellm ends with."""
    loop = LoopThread("recipes")
    loop.start()
    backend = LitellmBackend(config, lambda: NOW)
    request = msgspec.structs.replace(REQUEST, model=config.name)
    try:
        loop.submit(backend.complete(config.name, request, AttemptProgress(lambda _: None))).result(PATIENCE_S)
    except AttemptError as error:
        return error.fault.kind.value
    finally:
        loop.submit(backend.close()).result(PATIENCE_S)
        loop.stop()
    return ""


def test_a_recipe_says_where_its_forms_are_documented_and_who_has_tried_it() -> None:
    for recipe in RECIPES.values():
        assert not recipe.spoken_to
        assert recipe.recorded.startswith("Written from the provider's public documentation.")
        names = [exchange.name for exchange in recipe.exchanges]
        assert len(set(names)) == len(names)
        for exchange in recipe.exchanges:
            assert exchange.source.startswith("https://"), exchange.name
            assert (exchange.gives is None) != (exchange.fails is None), exchange.name
            assert exchange.ways, exchange.name
