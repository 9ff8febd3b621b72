"""Rules of single channels: each key counts from the nearest of thread, channel and category with a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from types import MappingProxyType

_HEAD = "Instructions of the operator for this channel"


@dataclass(frozen=True, slots=True)
class ChannelRule:
    """Rules of one place; an empty text leaves a key to the next wider place."""

    answer: str = ""
    """`all` or `mentions`."""
    threads: str = ""
    """`off` or `auto`."""
    model: str = ""
    instructions: str = ""
    memory: str = ""
    """`on` or `off`."""
    keep_days: str = ""
    """Days after which words are forgotten, `0` for never."""

    @property
    def addition(self) -> str:
        """Instructions as an addition to the system prompt; empty without any."""
        text = self.instructions.strip()
        return f"{_HEAD}\n{text}" if text else ""

    @property
    def answers_all(self) -> bool:
        """True if messages without a mention are answered."""
        return self.answer != "mentions"

    @property
    def memory_is_off(self) -> bool:
        """True if no message is kept, unless people switch memory on."""
        return self.memory == "off"

    @property
    def kept_for(self) -> timedelta | None:
        """Age at which words are forgotten; None for never."""
        return timedelta(days=int(self.keep_days)) if self.keep_days.strip("0") else None

    @property
    def opens_threads(self) -> bool:
        """True if an answered message opens a thread."""
        return self.threads == "auto"


class ChannelRules:
    """Rules by channel id, and rules for all other places."""

    def __init__(
        self, tables: Mapping[str, ChannelRule] = MappingProxyType({}), general: ChannelRule = ChannelRule()
    ) -> None:
        """Rules as the operator set the rules.

        Args:
            tables: Channel, thread or category id -> rules.
            general: Rules for keys that no table sets.
        """
        self._tables = dict(tables)
        self._general = general

    def tables_of(self, places: Iterable[str]) -> tuple[str, ...]:
        """Ids among `places` with their own rules, in the same order."""
        return tuple(place for place in places if place in self._tables)

    def sources_of(self, places: Iterable[str]) -> tuple[str, ...]:
        """Ids among `places` with at least one set rule, in the same order."""
        return tuple(place for place in self.tables_of(places) if self._tables[place] != ChannelRule())

    def of(self, places: Sequence[str]) -> ChannelRule:
        """The rules of a place.

        Args:
            places: Ids from the nearest to the widest: of a thread, its channel, and the channel's category.
        """
        rule = ChannelRule()
        for nearest in (*(self._tables[place] for place in self.tables_of(places)), self._general):
            unset = [field.name for field in fields(rule) if not getattr(rule, field.name)]
            rule = replace(rule, **{name: getattr(nearest, name) for name in unset})
        return rule
