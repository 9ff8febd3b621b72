"""Settings of single channels: `[channels.<id>]`, each key optional and inherited by the channel's threads."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from actors.settings.problem import quote_text
from actors.settings.table import Table
from domain.policy.channel_rules import ChannelRule

MOST_INSTRUCTIONS = 20_000
"""Characters; a longer text would be read anew, and paid for, with every message."""


def _model_name(value: str) -> str:
    if not re.fullmatch(r"[!-~]{1,200}", value):
        raise ValueError('must be "offline" or a model as litellm names it, without spaces')
    return value


def _instructions(value: str) -> str:
    if len(value) > MOST_INSTRUCTIONS or "\0" in value:
        raise ValueError(f"must be a text of at most {MOST_INSTRUCTIONS} characters, without NUL")
    return value


ModelName = Annotated[str, AfterValidator(_model_name)]


class ChannelTable(Table):
    """Settings of a channel and its threads, or of a category's channels; None leaves a key to the next wider table."""

    instructions: Annotated[str, AfterValidator(_instructions)] | None = None
    """Text for the model, in the system prompt of each conversation there."""
    answer: Literal["all", "mentions"] | None = None
    """As `discord.answer`."""
    model: ModelName | None = None
    """Model for answers there unless people choose another: `model.name` or an entry of `model.choices`."""
    threads: Literal["off", "auto"] | None = None
    """As `discord.threads`."""
    memory: Literal["on", "off"] | None = None
    """`off` to keep no words, unless people switch memory by `/memory on`."""

    keep_days: Annotated[int, Field(ge=0, le=36_500)] | None = None
    """As `memory.keep_days`."""

    @property
    def rule(self) -> ChannelRule:
        """The same settings, in the form for the rules."""
        return ChannelRule(**{name: "" if value is None else str(value) for name, value in self})


def strange_models(tables: Mapping[str, ChannelTable], models: Collection[str]) -> str:
    """Fault of the first channel with a model unknown to the settings; empty without a fault."""
    for channel_id, table in tables.items():
        if table.model is not None and table.model not in models:
            known = ", ".join(dict.fromkeys(models))
            return (
                f"{channel_id}.model = {quote_text(table.model)}: must be model.name or one of model.choices: {known}"
            )
    return ""
