"""Conversations with a counting real engine: turns with commands, without memory, with memory, and with each layer."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Protocol

from domain.memory.expansion import EXPANSION_PREFIX
from domain.turn.prompt import FILES_BLOCK, MEMORY_PREFIX
from lab.bench.benchmark import Rows
from lab.bench.cache.engine import ANSWER_S, Counted, CountingModel, Engine, open_engine
from lab.bench.loopback_agent import LoopbackAgent, discord_table
from lab.bench.measure import Figures
from lab.bench.process import MeasurementError
from lab.loopback_model.answers import Answer, Call, Received
from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID

PLAIN, FIRST_WORDS = "no memory", "local/, prompt cached"
"""Rows: the plain conversation, and the time to the first words."""
CHANGING = "memory, objects, a shown file changes"
"""Row with requests that lose the old text of a file: the layer never shows two versions."""
_MEMORY = "memory"
_LAYERS = {
    "curated": '[curated]\nglobal_folder = "{folder}/curated"\n',
    "objects": "",
    "workspace": "[workspace]\nrecall = true\nsession = true\nllm = true\n",
}
"""Layers that take part in a window's turns, and their settings; `facts` serves other programs."""
_TOLD_BESIDE = (
    "My crane at the harbour of Ostend is called Berta, and it is yellow.",
    "The ferry of the harbour leaves on Tuesdays at six, from the quay in the north.",
)
"""Said in a thread beside."""
_FILES = {
    "curated/MEMORY.md": "# Memory\n\n- The port has six berths.\n- The office of the port opens at eight.\n",
    "data/workspace/MEMORY.md": "# Memory\n\n## Ongoing Work\n- The crane of the harbour is painted in May.\n",
}
"""Files of layers."""
_MATTERS = ("crane", "ferry", "quay", "harbour", "tide")
_READING = (
    "cat notes.txt",
    "for n in $(seq 40); do echo line $n of report {number} on the {matter}; done",
    "cat notes.txt",
    "date -u -d @{number}",
)
_CHANGING = (*_READING[:3], "echo turn {number} of the {matter} >> notes.txt; cat notes.txt")
_BEFORE = "seq -f 'note %g of the harbour' 12 > notes.txt"
_COMMAND_MARK = "Please run: "
_REQUESTS = 2
"""Requests of each turn: the question, and the result of the turn's command."""
_BLOCKS = (f"{EXPANSION_PREFIX}\n", f"{MEMORY_PREFIX}\n", f"{FILES_BLOCK}\n")
"""Beginnings of the blocks found only in the requests of the block's own turn."""
_LEAST = ("of_before", "of_staying")
_WORDS_ASKED = 5


@dataclass(frozen=True, slots=True)
class Conversation:
    """Setting of one conversation."""

    name: str
    layers: tuple[str, ...] = ()
    commands: tuple[str, ...] = _READING
    has_memory: bool = True


class Tokenizer(Protocol):
    """Engine, as far as needed to read a prompt."""

    def prompt(self, body: dict[str, Any]) -> str:
        """Text made from a request by the model's template."""

    def tokens(self, text: str) -> int:
        """Number of tokens of a prompt's text."""


EVERYTHING = Conversation(f"{_MEMORY}, all layers", tuple(_LAYERS))
CONVERSATIONS = (
    Conversation(PLAIN, has_memory=False),
    Conversation(_MEMORY),
    *(Conversation(f"{_MEMORY}, {layer}", (layer,)) for layer in _LAYERS),
    EVERYTHING,
    Conversation(CHANGING, ("objects",), _CHANGING),
)
STAYING = tuple(each.name for each in CONVERSATIONS if each.name != CHANGING)


def measure_engine(
    say: Callable[[str], object],
    model: str,
    turns: int,
    conversations: tuple[Conversation, ...] = CONVERSATIONS,
    questions: int = _WORDS_ASKED,
) -> Rows:
    """Figures of each conversation, of the time to the first words, and of each turn.

    Args:
        say: Told the current turn.
        model: Name as in `model.name`, or `smollm2` for the model that a package carries.
        turns: Number of questions.
        conversations: Settings of the conversations.
        questions: Number of questions of which the time to the first words is measured; 0 for none.

    Raises:
        MeasurementError: the agent or the engine does not answer.
    """
    whole, by_turn, system_prompt = dict[str, Figures](), dict[str, Figures](), ""
    with open_engine(model) as engine:
        for each in conversations:
            counted = hold_conversation(say, engine, each, turns)
            figures = list(request_figures(engine, counted))
            whole[each.name] = sum_figures(figures)
            per_turn = [figures[place : place + _REQUESTS] for place in range(0, len(figures), _REQUESTS)]
            by_turn |= {f"{each.name}, {number}": sum_figures(pair) for number, pair in enumerate(per_turn, 1)}
            system_prompt = counted[0].body["messages"][0]["content"]
        if questions:
            say("first words")
            words = [engine.first_words_s(system_prompt, f"Tell me of berth {n}.") for n in range(questions + 1)]
            whole[FIRST_WORDS] = {"first_words_s": median(words[1:])}
    return {**whole, **by_turn}


def hold_conversation(
    say: Callable[[str], object], engine: Engine, conversation: Conversation, turns: int
) -> list[Counted]:
    """Requests of a conversation of the whole agent, two for each turn, the oldest first.

    Raises:
        MeasurementError: the agent does not answer, or a turn has another number of requests.
    """
    model = CountingModel(engine, answer_of)
    with (
        tempfile.TemporaryDirectory(prefix="agent-engine-") as name,
        PlaygroundServer() as server,
        LoopbackModel(model.behave) as loopback,
    ):
        folder = Path(name)
        settings = _settings(folder, server, loopback.api_base, conversation)
        agent = LoopbackAgent(folder, server, settings)
        try:
            agent.come_online(ANSWER_S)
            for words in _TOLD_BESIDE if conversation.has_memory else ():
                agent.ask(words, server.create_thread(GENERAL_ID, "beside"), ANSWER_S)
            main, before = server.create_thread(GENERAL_ID, "main"), len(model.counted)
            for number in range(turns):
                say(f"{conversation.name}: turn {number + 1} of {turns}")
                agent.ask(_question(number, conversation.commands), main, ANSWER_S)
        finally:
            agent.stop(10)
    counted = model.counted[before:]
    if len(counted) != _REQUESTS * turns:
        raise MeasurementError(f"{conversation.name}: {len(counted)} requests for {turns} turns, not two for each")
    return counted


def answer_of(received: Received) -> Answer:
    """Scripted answer: the command named by a question, then a sentence on the command's result."""
    last = received.body["messages"][-1]
    if last["role"] == "tool":
        return Answer("The matter is as follows, in plain words, and the report is above.")
    words = received.last_text
    if _COMMAND_MARK not in words:
        return Answer("Noted.")
    command = words.rpartition(_COMMAND_MARK)[2]
    calls = sum(message["role"] == "tool" for message in received.body["messages"])
    return Answer(calls=(Call("bash", f'{{"command": {json.dumps(command)}}}', f"call_{calls}"),))


def request_figures(tokenizer: Tokenizer, counted: list[Counted]) -> Iterator[Figures]:
    """Figures of each request; from the second on compared with the request before."""
    yield _own_figures(counted[0])
    for number, (before, request) in enumerate(pairwise(counted), 1):
        is_new_turn = number % _REQUESTS == 0
        taken_out = _tokens_taken_out(tokenizer, before) if is_new_turn else 0
        yield _own_figures(request) | {
            "taken_out_tokens": taken_out,
            "of_before": min(1.0, request.cached / before.prompt),
            "of_staying": min(1.0, request.cached / (before.prompt - taken_out)),
        }


def _own_figures(counted: Counted) -> Figures:
    return {"requests": 1, "prompt_tokens": counted.prompt, "cached_tokens": counted.cached}


def _tokens_taken_out(tokenizer: Tokenizer, counted: Counted) -> int:
    """Tokens of a turn's last request from its blocks on, missing from later requests."""
    question = next(str(each["content"]) for each in reversed(counted.body["messages"]) if each["role"] == "user")
    places = [place for block in _BLOCKS if (place := question.find(block)) >= 0]
    if not places:
        return 0
    prompt = tokenizer.prompt(counted.body)
    return counted.prompt - tokenizer.tokens(prompt[: prompt.rfind(question[min(places) :])])


def sum_figures(figures: list[Figures]) -> Figures:
    """Sums of tokens, and the least of each share."""
    total = Figures()
    for row in figures:
        for name, value in row.items():
            total[name] = min(total.get(name, value), value) if name in _LEAST else total.get(name, 0) + value
    return total


def _question(number: int, commands: tuple[str, ...]) -> str:
    matter = _MATTERS[number % len(_MATTERS)]
    command = commands[number % len(commands)].format(number=number, matter=matter) if number else _BEFORE
    return f"What do we know of the {matter} of the harbour? {_COMMAND_MARK}{command}"


def _settings(folder: Path, server: PlaygroundServer, api_base: str, conversation: Conversation) -> str:
    """Settings of an agent in an empty folder, which also receives the files of the layers."""
    for name, text in _FILES.items():
        file = folder / name
        for parent in (file.parent.parent, file.parent):
            parent.mkdir(mode=0o700, exist_ok=True)
        file.write_text(text)
    layers = "".join(f"{name} = true\n" for name in conversation.layers)
    tables = "".join(_LAYERS[name].format(folder=folder) for name in conversation.layers)
    return (
        f'{discord_table(server)}reactions = false\nstream = "off"\nturns_per_user = 10000\n'
        f'[model]\nname = "hosted_vllm/smollm2"\napi_base = "{api_base}"\nidle_timeout_s = {ANSWER_S:g}\n'
        f'retries = 0\n[embedder]\nprovider = "local"\n'
        f"[memory]\nenabled = {str(conversation.has_memory).lower()}\n[layers]\n{layers}{tables}"
    )
