"""Scene of the fifteen: five said before, five in flight at a SIGKILL, five said while the agent is down."""

from __future__ import annotations

from collections.abc import Callable

from lab.chaos.kills.batch import Batch
from lab.chaos.kills.rows import Say, Trap, Where
from lab.chaos.kills.texts import HOSTILE, PLAIN, SLOW

OLD = 3
"""Threads that have a log at the kill; as many messages of the five before go to each in turn."""
FIVE = 5
IN_FLIGHT_S = 0.6
"""Longest time from the five in flight to the kill: some have no log then, some are being answered, none is through."""


class Fifteen(Batch):
    """Runner of the scene, in threads old and new; a notice in the place of an answer is no answer here."""

    def _play(self, kills: int, tick: Callable[[], object]) -> None:
        agent = self._start()
        if self._await_online(agent) and not self._has_met():
            self.tally.note("faults", "the channel is not met though the agent is online")
        for _ in range(kills):
            old = [self._stage.new_thread(self._stage.people[0]) for _ in range(OLD)]
            self._say([old[each % OLD] for each in range(FIVE)], PLAIN)
            self._await_answers(agent)
            self._say([*old, self._new(), self._new()], SLOW)
            agent.over.wait(self._choices.uniform(0, IN_FLIGHT_S))
            self._kill(agent, Trap.TIME, tick)
            self._say([*old[:2], self._new(), self._new(), self._new()], PLAIN)
            agent = self._start()
            self._await_online(agent)
            self._await_answers(agent)
        self._end(agent)

    def _judge(self) -> None:
        super()._judge()
        if self.tally.given_up:
            self.tally.note("not_answered", "a notice instead of an answer", self.tally.given_up)

    def _new(self) -> int:
        return self._stage.new_thread(self._stage.people[0])

    def _say(self, channel_ids: list[int], wants: str) -> None:
        for channel_id in channel_ids:
            body = self._choices.choice(HOSTILE)
            self._stage.say_in(channel_id, self._stage.people[0], Say(where=Where.OLD, wants=wants, body=body))
