"""Policy of each channel: the operator's rules for it, found by the place in the server."""

from __future__ import annotations

import functools
from collections.abc import Callable

from actors.discord.incoming.places.window_map import WindowMap
from domain.policy.channel_rules import ChannelRule, ChannelRules
from domain.policy.memory_switch import NO_SWITCHES, NOW, MemorySwitches

MEMORY_IS_OFF = "Memory is off here: no message is kept."


class ChannelPolicy:
    """Rules of channels, including a thread's rules from the channel and a channel's rules from the category."""

    def __init__(self, rules: ChannelRules, window_map: WindowMap, switches: MemorySwitches = NO_SWITCHES) -> None:
        self._rules = rules
        self._window_map = window_map
        self.switches = switches
        """Switches of memory set by people."""

    @property
    def window_map(self) -> WindowMap:
        """Places of channels and threads, which decide the rules."""
        return self._window_map

    def rule_of(self, channel: object) -> ChannelRule:
        """The rules in force in a channel or thread."""
        return self._rules.of(self._window_map.place_of(channel).ids)

    def tables_of(self, channel: object) -> tuple[str, ...]:
        """Ids of the settings' tables in force in a channel or thread, the nearest first."""
        return self._rules.tables_of(self._window_map.place_of(channel).ids)

    def is_off_record(self, channel: object, number: int = NOW) -> bool:
        """True if memory was off in a channel or thread when a message was written; without a number, if it is off."""
        return self.off_record_of(channel)(number)

    def off_record_of(self, channel: object) -> Callable[[int], bool]:
        """Predicate of message numbers: true for messages sent while memory was off in a channel or thread."""
        places, by_settings = self._window_map.place_of(channel).ids, self.rule_of(channel).memory_is_off
        return functools.partial(self.switches.is_off, places, by_settings=by_settings)

    def is_opened_by(self, channel: object, user_id: int | None) -> bool:
        """True if a thread was opened by the account."""
        return user_id is not None and self._window_map.place_of(channel).owner_id == user_id

    def describe(self, channel: object, *, is_direct: bool = False) -> str:
        """Rules in force in a channel, for `/status`; empty where every message is answered and no table holds."""
        rule, tables = self.rule_of(channel), self._rules.sources_of(self._window_map.place_of(channel).ids)
        off = MEMORY_IS_OFF if self.is_off_record(channel) else ""
        if rule.answers_all and not rule.opens_threads and not tables:
            return off
        answered = "every message" if rule.answers_all or is_direct else "mentions of me and replies to me"
        words = [f"I answer {answered}"]
        if rule.opens_threads and not is_direct:
            words.append("in a thread for each question of a channel")
        if rule.model:
            words.append(f"with `{rule.model}` unless another model is chosen")
        if rule.instructions:
            words.append(f"by {len(rule.instructions)} characters of instructions")
        source = f" (settings of {' and '.join(f'channels.{each}' for each in tables)})" if tables else ""
        return f"Here {', '.join(words)}{source}. {off}".rstrip()
