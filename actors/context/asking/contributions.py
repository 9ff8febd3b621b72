"""Contributions of a turn: blocks for this turn, and instructions valid until replaced."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

from actors.context.config import ContextConfig
from actors.context.host import WindowHost
from actors.context.turn_run import TurnRun
from domain.memory.expansion import expansion_block
from domain.turn.prompt import KEEPERS, is_block
from domain.turn.turn import Turn
from messages.base import Address, flaw_of
from messages.shell import SharedFolder
from messages.turn import PrepareTurn, Reference, Store, TurnContribution

log = logging.getLogger(__name__)

PATIENCE_TURNS = 3
"""Turns in a row that wait in vain for a contributor; later turns still ask the contributor, without waiting."""


def question(host: WindowHost, run: TurnRun) -> PrepareTurn:
    """Question for the contributors: context for the last words of a turn."""
    turn = host.conversation.turn(run.turn_id)
    latest = turn.said_last
    return PrepareTurn(
        request_id=run.request_id,
        reply_to=host.address,
        window=host.window,
        turn_id=run.turn_id,
        author_id=latest.author_id,
        author_name=latest.author,
        text=latest.text,
        visible=host.conversation.visible(run.turn_id),
        audience=turn.audience,
        log=host.log_path,
        may_run=run.may_run,
        tables=run.tables,
    )


class Contributions:
    """The contributions of a window, in the contributors' fixed order.

    Contributors may be third-party: a faulty or silent contributor never keeps the turn from going on.
    """

    def __init__(
        self, contributors: tuple[Address, ...], referrers: tuple[Address, ...] = (), max_expansions: int = 0
    ) -> None:
        """Begin without contributions.

        Args:
            contributors: Contributors to ask, in the order of their words in the prompt.
            referrers: Contributors with references that can be expanded.
            max_expansions: Number of references that a turn may expand.
        """
        self._how_to_expand = expansion_block(max_expansions) if max_expansions else ""
        self._contributors = {str(address): address for address in contributors}
        self._referrers = referrers
        self._newest: dict[str, TurnContribution] = {}
        """Contributor -> newest sound contribution; kept over turns, so a late answer changes no system prompt."""
        self._blocks: dict[str, str] = {}
        self._references: dict[Address, frozenset[Reference]] = {}
        self._folders: dict[str, tuple[SharedFolder, ...]] = {}
        self._waiting_for: set[str] = set()
        self._asks = True
        self._missed: Counter[str] = Counter()
        """Contributor -> turns in a row without an answer."""

    def begin(self, *, asks: bool = True) -> tuple[Address, ...]:
        """Begin a turn: forget the previous blocks, references and folders; return the contributors to ask.

        Args:
            asks: False for a turn off the record: no contributor hears of the turn, and there is no contribution.
        """
        self._asks = asks
        self._blocks.clear()
        self._references.clear()
        self._folders.clear()
        contributors = self._contributors if asks else {}
        self._waiting_for = {name for name in contributors if self._missed[name] < PATIENCE_TURNS}
        return tuple(contributors.values())

    @property
    def is_complete(self) -> bool:
        """True if no contributor is waited for any more."""
        return not self._waiting_for

    def take(self, reply: TurnContribution) -> None:
        """Take in a contribution to the turn in preparation; a second contribution of a contributor has no effect."""
        contributor = self._contributor(reply)
        if contributor is None or reply.contributor in self._blocks:
            return
        self._waiting_for.discard(reply.contributor)
        del self._missed[reply.contributor]
        self._blocks[reply.contributor] = ""
        if self._is_sound(reply):
            self._newest[reply.contributor] = reply
            self._blocks[reply.contributor] = reply.block
            self._references[contributor] = frozenset(reply.references)
            self._folders[reply.contributor] = tuple(reply.folders)

    def take_late(self, reply: TurnContribution) -> None:
        """Keep the instructions of a late contribution, unless there are newer instructions.

        The next turn waits for a late contributor again.
        """
        if self._contributor(reply) is None or reply.contributor in self._blocks:
            return
        self._missed[reply.contributor] = min(self._missed[reply.contributor], PATIENCE_TURNS - 1)
        if self._is_sound(reply):
            self._newest[reply.contributor] = reply

    def deadline_s(self, config: ContextConfig, turns: Sequence[Turn]) -> float:
        """Seconds that a turn waits: longer where earlier lives' requests began with instructions unknown so far.

        Args:
            config: The limits.
            turns: Turns of the request.
        """
        is_resumed = len(turns) > 1 and not self._newest and not any(self._missed.values())
        return max(config.prepare_deadline_s, config.first_deadline_s) if is_resumed else config.prepare_deadline_s

    def give_up(self) -> None:
        """End the turn's wait; the next turn does not wait for a contributor that is late too often."""
        for name in sorted(self._waiting_for):
            self._missed[name] += 1
            last = self._missed[name] == PATIENCE_TURNS
            log.warning("%s did not contribute in time%s", name, "; turns no longer wait for it" if last else "")
        self._waiting_for.clear()

    def block(self) -> str:
        """Blocks of this turn; the first contributor's block stands nearest to the prompt.

        How to expand a reference stands before them, if there is any: the system prompt is the same in all turns.
        """
        blocks = [part for part in reversed(self._in_order(self._blocks)) if part]
        can_expand = any(self._references.get(address) for address in self._referrers)
        return "\n\n".join([self._how_to_expand, *blocks] if can_expand and self._how_to_expand else blocks)

    def newest(self) -> tuple[TurnContribution, ...]:
        """Newest contributions with instructions and places, in order."""
        return tuple(self._newest[name] for name in self._contributors if name in self._newest and self._asks)

    def skills(self) -> dict[str, tuple[str, ...]]:
        """Skills offered by the instructions -> commands that show their use."""
        return {skill.name: skill.commands for each in self._newest.values() for skill in each.skills}

    def folders(self) -> tuple[SharedFolder, ...]:
        """Folders of the contributors, visible to this turn's commands."""
        return tuple(folder for name in self._contributors for folder in self._folders.get(name, ()))

    def owner_of(self, reference: Reference) -> Address | None:
        """Contributor that named the place in this turn's block, the first in order of several.

        None without a match.
        """
        named = (address for address in self._referrers if reference in self._references.get(address, ()))
        return next(named, None)

    def _contributor(self, reply: TurnContribution) -> Address | None:
        """Address of the reply's contributor; None for an unknown or malformed name."""
        name: object = reply.contributor
        return self._contributors.get(name) if isinstance(name, str) else None

    def _is_sound(self, reply: TurnContribution) -> bool:
        """True if a contribution is well-formed; a flaw is logged with the contributor's name."""
        flaw = flaw_of(reply)
        if not flaw and reply.block and not is_block(reply.block):
            flaw = "its block is not the line INJECTED_CONTEXT_<NAME> and one line of JSON"
        if not flaw and not all(isinstance(folder, SharedFolder) for folder in reply.folders):
            flaw = "its folders are invalid"
        if not flaw and not all(isinstance(store, Store) for store in reply.stores):
            flaw = "its stores are invalid"
        if not flaw and any(store.keeper not in KEEPERS for store in reply.stores):
            flaw = f"its stores must name a keeper: one of {', '.join(KEEPERS)}"
        if flaw:
            log.warning("a contribution of %s is left out: %s", reply.contributor, flaw)
        return not flaw

    def _in_order(self, parts: dict[str, str]) -> list[str]:
        return [parts.get(name, "") for name in self._contributors]
