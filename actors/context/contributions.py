"""Contributions of a turn: blocks for this turn, and instructions that stay until they say otherwise."""

from __future__ import annotations

from messages.base import Address
from messages.turn import Reference, TurnContribution


class Contributions:
    """The contributions of one window, in the contributors' fixed order."""

    def __init__(self, contributors: tuple[Address, ...], referrers: tuple[Address, ...] = ()) -> None:
        """Nobody has contributed yet.

        Args:
            contributors: Who is asked, in the order in which their words stand.
            referrers: Those whose references can be expanded.
        """
        self._contributors = contributors
        self._referrers = referrers
        self._instructions: dict[str, str] = {}
        """Contributor -> what it said last; kept over turns, so that being late once changes no request's beginning."""
        self._blocks: dict[str, str] = {}
        self._references: dict[Address, frozenset[Reference]] = {}
        self._waiting_for: set[str] = set()

    def begin(self) -> None:
        """A new turn: forget the blocks of the one before."""
        self._blocks.clear()
        self._references.clear()
        self._waiting_for = {str(address) for address in self._contributors}

    @property
    def is_complete(self) -> bool:
        """Whether everybody has answered."""
        return not self._waiting_for

    def take(self, reply: TurnContribution) -> None:
        """Take in a contribution to the turn in preparation; a second one of the same contributor changes nothing."""
        if reply.contributor not in self._waiting_for:
            return
        self._waiting_for.discard(reply.contributor)
        self._instructions[reply.contributor] = reply.instructions
        self._blocks[reply.contributor] = reply.block
        contributor = next(address for address in self._contributors if str(address) == reply.contributor)
        self._references[contributor] = frozenset(reply.references)

    def take_late(self, reply: TurnContribution) -> None:
        """Keep the instructions of a contribution to a turn that has gone on without it, if there are no newer ones."""
        if reply.contributor not in self._blocks and any(
            str(address) == reply.contributor for address in self._contributors
        ):
            self._instructions[reply.contributor] = reply.instructions

    def block(self) -> str:
        """Everything that was contributed to this turn."""
        return "\n\n".join(part for part in self._in_order(self._blocks) if part)

    def instructions(self) -> tuple[str, ...]:
        """What the contributors want said in the system prompt."""
        return tuple(part for part in self._in_order(self._instructions) if part)

    def owner_of(self, reference: Reference) -> Address | None:
        """Who named that place in this turn's block, the first in order of several; None for nobody."""
        named = (address for address in self._referrers if reference in self._references.get(address, ()))
        return next(named, None)

    def _in_order(self, parts: dict[str, str]) -> list[str]:
        return [parts.get(str(address), "") for address in self._contributors]
