"""Share of a conversation's input taken from a provider's cache, and the price compared with no caching."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from domain.facts.block_place import BlockPlace
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.cache.gateway import charge_conversation
from lab.bench.cache.talk import EVERYTHING, FIRST_WORDS, PLAIN, STAYING, measure_engine
from lab.bench.loopback_agent import LoopbackAgent, discord_table
from lab.bench.measure import Figures
from lab.loopback_model.answers import Answer, Behaviour, Call, Received, Refusal
from lab.loopback_model.messages_form import charged_answer, is_result, last_words, messages_address
from lab.loopback_model.prefix_cache import Charge, PrefixCache
from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID

LEAST_SHARE = 0.90
GATEWAY_SHARE = 0.85
CONVERSATION = "conversation"
_LEAST = "least share of input tokens from the cache"
TURNS, QUICK_TURNS = 60, 6
ENGINE_TURNS, ENGINE_QUICK_TURNS = 10, 2
ENGINE_SHARE = 0.95
FIRST_WORDS_S = 2.0
_STAYING_LABEL = "cached, of what stays of the request before"
BETWEEN_S = 20.0
"""Time between two requests, by the provider's clock."""
HISTORY_TOKENS = 15_000
"""Bound of the history that causes exactly one cut in a conversation of this length."""
_MODEL, _OTHER = "anthropic/claude-sonnet-4-5", "anthropic/claude-haiku-4-5"
_ANSWER_S = 90.0
_COMMAND = "for n in $(seq 60); do echo line $n of the report; done"


class _Provider:
    """Model that runs a command on request and charges for each request."""

    def __init__(self) -> None:
        self.charges: list[Charge] = []
        self._cache = PrefixCache()

    def behave(self, received: Received) -> Behaviour:
        """Answer a request."""
        now_s = BETWEEN_S * len(self.charges)
        answered = charged_answer(self._answer(received), received, self._cache, now_s)
        if isinstance(answered, Refusal):
            return answered
        raw, charge = answered
        self.charges.append(charge)
        return raw

    def _answer(self, received: Received) -> Answer:
        if "please run the report" in last_words(received) and not is_result(received):
            return Answer(calls=(Call("bash", f'{{"command": "{_COMMAND}"}}', f"toolu_{len(self.charges)}"),))
        return Answer(f"Answer {len(self.charges)}: " + "the matter is as follows, in plain words. " * 12)


def measure(say: Callable[[str], object], *, quick: bool, engine: str | None = None) -> Rows:
    """Hold the conversation: memories, a command in each third turn, a switch of the model, and a cut.

    Args:
        say: Told the current turn.
        quick: True for few turns, and of a real engine for the conversation with everything alone.
        engine: Model on this machine whose engine counts, in place of the charged conversations; None for these.

    Raises:
        MeasurementError: the agent did not answer.
    """
    if engine is not None and quick:
        return measure_engine(say, engine, ENGINE_QUICK_TURNS, (EVERYTHING,), questions=0)
    if engine is not None:
        return measure_engine(say, engine, ENGINE_TURNS)
    turns, provider = QUICK_TURNS if quick else TURNS, _Provider()
    with (
        tempfile.TemporaryDirectory(prefix="agent-cache-") as folder,
        PlaygroundServer() as server,
        LoopbackModel(provider.behave) as model,
    ):
        agent = LoopbackAgent(Path(folder), server, _settings(server, messages_address(model.api_base)))
        try:
            agent.come_online(_ANSWER_S)
            for number in range(1, turns + 1):
                say(f"turn {number} of {turns}")
                if number == turns // 2:
                    server.slash(GENERAL_ID, "model", {"name": _OTHER})
                agent.ask(_words(number), timeout_s=_ANSWER_S)
        except TimeoutError as error:
            raise agent.error(str(error)) from error
        finally:
            agent.stop(10)
    places = {f"gateway, {place.value}": _figures(charge_conversation(place, turns), turns) for place in BlockPlace}
    return {CONVERSATION: _figures(provider.charges, turns), **places}


def _words(number: int) -> str:
    task = "please run the report" if number % 3 == 0 else "what do you make of that, and what did we say of it before?"
    return f"Matter {number} of the harbour: {'the crane, the quay and the ferry are late again. ' * 8} {task}"


def _figures(charges: list[Charge], turns: int) -> Figures:
    total = sum(charge.total for charge in charges)
    price = sum(charge.price for charge in charges)
    return {
        "turns": turns,
        "requests": len(charges),
        "cuts": sum(after.total < 0.8 * before.total for before, after in pairwise(charges)),
        "input_tokens": total,
        "cached_share": sum(charge.read for charge in charges) / total,
        "stored_share": sum(charge.stored for charge in charges) / total,
        "price_share": price / total,
    }


def _settings(server: PlaygroundServer, api_base: str) -> str:
    return (
        f'{discord_table(server)}reactions = false\nstream = "off"\nturns_per_user = 10000\n'
        f'[model]\nname = "{_MODEL}"\nchoices = ["{_OTHER}"]\napi_base = "{api_base}"\n'
        f'max_history_tokens = {HISTORY_TOKENS}\n[embedder]\nprovider = "local"\n'
    )


CACHE = Benchmark(
    name="cache",
    measure=measure,
    targets=(
        Target("least number of cuts", "cuts", 1, CONVERSATION, at_least=True, is_speed=True),
        Target(_LEAST, "cached_share", LEAST_SHARE, CONVERSATION, at_least=True, is_speed=True),
        Target(_LEAST, "cached_share", GATEWAY_SHARE, "gateway, auto", at_least=True, is_speed=True),
        Target("cached, of the request before", "of_before", ENGINE_SHARE, PLAIN, at_least=True),
        *(Target(_STAYING_LABEL, "of_staying", ENGINE_SHARE, name, at_least=True) for name in STAYING),
        Target("seconds to the first words", "first_words_s", FIRST_WORDS_S, FIRST_WORDS, is_speed=True),
    ),
    columns=(
        Column("turns", "turns", ",.0f"),
        Column("requests", "requests", ",.0f"),
        Column("cuts", "cuts", ",.0f"),
        Column("input tokens", "input_tokens", ",.0f"),
        Column("from the cache", "cached_share", ".1%"),
        Column("written to it", "stored_share", ".1%"),
        Column("price, of that without caching", "price_share", ".1%"),
        Column("prompt tokens", "prompt_tokens", ",.0f"),
        Column("cached", "cached_tokens", ",.0f"),
        Column("taken out", "taken_out_tokens", ",.0f"),
        Column("of the request before, least", "of_before", ".1%"),
        Column("of what stays of it, least", "of_staying", ".1%"),
        Column("seconds to the first words", "first_words_s", ".2f"),
    ),
)
