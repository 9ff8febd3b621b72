"""Choice of a window's answering model, and the usage of its conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from actors.context.host import WindowHost
from domain.log.event import Kind
from domain.log.metadata import MetaValue
from domain.policy.channel_rules import ChannelRules
from messages.base import Message
from messages.context import ChooseModel, ModelChosen, TellUsage, UsageTold
from messages.socket import Refused


class ModelChoice:
    """Handler of `/model` and `/usage`; the choice is in the log."""

    def __init__(self, host: WindowHost, models: tuple[str, ...], rules: ChannelRules) -> None:
        """The choice recorded in the log.

        Args:
            host: The actor of the window.
            models: All models that the operator allows, the usual model first; empty for a single unnamed model.
            rules: Give the usual model of a channel.
        """
        self._host = host
        self._models = models
        self._rules = rules

    def asked_for(self, tables: Sequence[str]) -> str:
        """Model for requests; empty for the model of `model.name`.

        Args:
            tables: Ids of the channel tables in force, the nearest first.
        """
        model = self._chosen or self._rules.of(tables).model
        return model if model in self._models[1:] else ""

    def is_news(self, command: ChooseModel) -> bool:
        """True if the model may be chosen and differs from the present model."""
        return command.model in self._models and command.model != self._current

    def choose(self, command: ChooseModel) -> Message:
        """Reply to the command; a new choice is logged first.

        Raises:
            LogUnwritable: as the journal.
        """
        if command.model and command.model not in self._models:
            among = ", ".join(self._models) or "none"
            reason = f"{command.model[:100]!r} is not among the models that may be chosen: {among}"
            return Refused(request_id=command.request_id, reason=reason)
        if self.is_news(command):
            self._record(command.model, command.asked_by)
        return ModelChosen(
            request_id=command.request_id,
            model=self._current,
            choices=self._models,
            is_new=bool(command.model),
        )

    def carry_over(self, asked_by: str) -> Iterator[tuple[str, dict[str, MetaValue]]]:
        """Content and metadata of the system event that carries a choice into a new log, if there is a choice."""
        model = self._chosen
        if model and model != (self._rules.of(self._tables).model or self._models[0]):
            yield _words(model), _meta(model, asked_by)

    def usage(self, command: TellUsage) -> UsageTold:
        """Usage of the present conversation."""
        conversation = self._host.conversation
        return UsageTold(
            request_id=command.request_id,
            model=self._current,
            turns=conversation.turns_asked,
            prompt_tokens=conversation.used.prompt_tokens,
            completion_tokens=conversation.used.completion_tokens,
            cost_usd=conversation.used.cost_usd,
            cached_tokens=conversation.used.cached_tokens,
        )

    @property
    def _chosen(self) -> str:
        """Model chosen here by a person; empty without a choice, and for a model no longer allowed."""
        chosen = self._host.conversation.model
        return chosen if chosen in self._models else ""

    @property
    def _current(self) -> str:
        return self.asked_for(self._tables) or (self._models[0] if self._models else "")

    @property
    def _tables(self) -> tuple[str, ...]:
        """Ids of the channel tables in force, as far as recorded in the conversation."""
        return self._host.conversation.tables or self._rules.tables_of((self._host.window.id,))

    def _record(self, model: str, asked_by: str) -> None:
        self._host.record(Kind.SYSTEM, _words(model), _meta(model, asked_by), sync=True)


def _words(model: str) -> str:
    return f"from here on {model} answers"


def _meta(model: str, asked_by: str) -> dict[str, MetaValue]:
    return {"what": "model", "model": model, "by": asked_by}
