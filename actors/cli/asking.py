"""Question of a command: to the running agent, or else to the answering actors, started alone.

The answer is printed as by `/memory why` and similar commands, or as its reply with `--json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actors.cli.common import config_option, data_option, fail, json_option, load_settings

if TYPE_CHECKING:
    from actors.kernel import ActorSpec
    from actors.part import Plan, Verb
    from actors.part.alone import Ask
    from actors.settings.schema import Settings
    from messages.base import Message

OPERATOR = "cli/operator"
"""Key of the window that stands for the operator."""
ANSWER_S = 60.0
Options = Mapping[str, Any]
C = TypeVar("C", bound=Callable[..., None])


def asking_options(command: C) -> C:
    """Add the options of every command with a question."""
    return config_option(data_option(json_option(command)))


@dataclass(frozen=True, slots=True)
class VerbClient:
    """Actors for a command's questions."""

    name: str
    """Before the dot of their verbs; of a layer, the layer's name."""
    verbs: Callable[[], Mapping[str, Verb]]
    specs: Callable[[Plan, str], Iterable[ActorSpec]]
    """Specs of the actors alone, for a verb."""
    is_layer: bool = True
    settle: Callable[[Ask], None] | None = None
    """Called before and after a question to the actors alone."""
    hint: Callable[[Settings], str] | None = None
    """Words behind the refusal of actors alone."""
    overrides: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """Settings of actors alone, by dotted key."""

    def settings(self, options: Options) -> tuple[Settings, Mapping[str, str]]:
        """Settings and secrets."""
        overrides = {**self.overrides, **({"data_root": str(options["data"].absolute())} if options["data"] else {})}
        settings, secrets = load_settings(options["config_file"], overrides)
        return settings, secrets.environment()

    def _require_layer(self, settings: Settings) -> None:
        """End the command if the layer is switched off; a running agent may have it whatever the settings say."""
        if self.is_layer and not settings.has_layer(self.name):
            fail(f"the layer {self.name} is switched off; [layers] {self.name} = true in agent.toml switches it on")

    def ask(self, verb: str, options: Options, fields: Mapping[str, object], **how: Any) -> Message:
        """Reply to a verb; ends the command without a reply. Arguments as of `ask_each`."""
        (reply,) = self.ask_each(verb, options, (fields,), **how)
        return reply

    def ask_each(
        self,
        verb: str,
        options: Options,
        questions: Sequence[Mapping[str, object]],
        *,
        answer_s: float = ANSWER_S,
        locks: str = "",
        missing: str = "",
        needs_agent: str = "",
        look: Callable[[Message], object] | None = None,
    ) -> Iterator[Message]:
        """Replies to a verb for several sets of fields, as they come; ends the command if there is none.

        The running agent is asked, whatever the settings say of the layer; where no agent runs, the actors alone.

        Args:
            verb: Behind the dot.
            options: Of the command.
            questions: Arguments of each question, windows by their keys.
            answer_s: Longest wait for one reply.
            locks: `hold` or `lock` to keep any agent from starting meanwhile, as `DataRoot` does it.
            missing: Error if a data root to lock does not exist; empty to go on.
            needs_agent: Error where no agent runs; empty for a verb that the actors answer alone.
            look: Called with `<name>.stats` every half second while actors alone work.
        """
        import msgspec

        settings, secrets = self.settings(options)
        known = self.verbs()[f"{self.name}.{verb}"]
        if known.words is None:
            raise ValueError(f"verb {self.name}.{verb}: has no words for people")
        left = list(questions)
        while left and (answer := running(settings, f"{self.name}.{verb}", answer_s, **left[0])) is not None:
            del left[0]
            yield msgspec.convert({**answer, "request_id": ""}, known.words.reply, strict=False)
        if not left:
            return
        self._require_layer(settings)
        if needs_agent:
            fail(needs_agent.format(settings.data_root))
        with lock_root(settings, locks, missing):
            yield from self._alone(settings, secrets, verb, left, answer_s, look)

    def _alone(
        self,
        settings: Settings,
        secrets: Mapping[str, str],
        verb: str,
        questions: Iterable[Mapping[str, object]],
        answer_s: float,
        look: Callable[[Message], object] | None,
    ) -> Iterator[Message]:
        from actors.bootstrap import agent_plan
        from actors.context.log.data_root import DataRootError
        from actors.kernel import ActorSystem
        from actors.part.alone import alone
        from messages.socket import Refused

        verbs, system = self.verbs(), ActorSystem(workers=2)
        settle = self.settle or (lambda _ask: None)
        try:
            with alone(system, self.specs(agent_plan(settings, secrets, system, None), verb)) as ask:
                meanwhile = None if look is None else lambda: look(ask(verbs[f"{self.name}.stats"], {}, ANSWER_S))
                settle(ask)
                for fields in questions:
                    reply = ask(verbs[f"{self.name}.{verb}"], fields, answer_s, meanwhile)
                    if isinstance(reply, Refused):
                        fail(f"{reply.reason}{self.hint(settings) if self.hint else ''}")
                    yield reply
                settle(ask)
        except TimeoutError:
            fail(f"{self.name} did not answer within {answer_s:g} s")
        except (DataRootError, ValueError) as error:
            fail(str(error))

    def fields(self, reply: Message) -> dict[str, Any]:
        """Fields of a reply in the form of `--json`."""
        import msgspec

        fields: dict[str, Any] = msgspec.to_builtins(reply)
        return {name: value for name, value in fields.items() if name not in ("type", "request_id")}

    def show(self, verb: str, reply: Message, options: Options) -> None:
        """Print the words of a reply, or the reply itself with `--json`."""
        from actors.cli.wording import TerminalWording

        if options["as_json"]:
            click.echo(json.dumps(self.fields(reply), ensure_ascii=False))
        elif (words := self.verbs()[f"{self.name}.{verb}"].words) is not None:
            click.echo(words.answer(reply, TerminalWording(self.name)).text)

    def tell(self, verb: str, options: Options, fields: Mapping[str, object], **how: Any) -> Message:
        """Ask, and print the reply."""
        reply = self.ask(verb, options, fields, **how)
        self.show(verb, reply, options)
        return reply


def ask_all(
    ask: Callable[[Mapping[str, object]], Any], rows: tuple[str, ...], after: Callable[[Any], object]
) -> Message:
    """Reply with all its rows, fetched piece by piece.

    Args:
        ask: Asks, with further fields.
        rows: Fields of the reply that hold rows.
        after: Value of `after` for the next piece, from all pieces so far.
    """
    import msgspec

    whole = ask({})
    while not whole.is_all:
        piece = ask({"after": after(whole)})
        if not any(getattr(piece, name) for name in rows):
            break
        more = {name: getattr(whole, name) + getattr(piece, name) for name in rows}
        whole = msgspec.structs.replace(piece, **more)
    reply: Message = msgspec.structs.replace(whole, is_all=True)
    return reply


def running(settings: Settings, verb: str, answer_s: float = ANSWER_S, /, **arguments: object) -> Options | None:
    """Answer of the running agent; None without a running agent."""
    from actors.context.log.data_root import DataRoot, DataRootError
    from actors.socket.client import AgentNotRunningError, AgentSilentError, RefusalError, ask_operator

    try:
        return ask_operator(settings.data_root, verb, answer_s, **arguments)
    except (RefusalError, AgentSilentError) as error:  # a request that may be carried out yet is not made again
        fail(str(error))
    except AgentNotRunningError as error:
        reason = str(error)
    try:
        is_held = DataRoot(settings.data_root).is_held()
    except DataRootError as error:
        fail(str(error))
    if is_held:
        fail(reason)
    return None


@contextmanager
def lock_root(settings: Settings, locks: str, missing: str) -> Iterator[None]:
    """Keep any agent from starting on the data root."""
    from actors.context.log.data_root import DataRoot, DataRootError

    root = DataRoot(settings.data_root)
    if locks and missing and not root.path.is_dir():
        fail(missing.format(root.path))
    try:
        if locks == "hold":
            root.hold()
        elif locks and root.path.is_dir():
            root.lock()
    except DataRootError as error:
        fail(str(error))
    try:
        yield
    finally:
        root.release()
