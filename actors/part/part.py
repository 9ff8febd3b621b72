"""Part and table of parts: the existing actors, and the known facts about each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from actors.kernel import ActorSpec
from actors.part.check import Check
from actors.part.command import AnyCommand, AnyPress, check_commands, check_presses
from actors.part.place import SHIPPED_SKILLS
from actors.part.verb import Verb, check_verb
from messages.base import Address, Window

if TYPE_CHECKING:
    from actors.part.plan import Plan


class UnusableError(ValueError):
    """Settings or installed software that leave an actor without a requirement; the text gives the remedy."""


Taker = Address | Callable[[Window], Address]
"""Participant in turns: a single actor, or an actor of each window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Actor of the agent, with all relations to other actors."""

    spec: ActorSpec
    unusable: str = ""
    """Reason why the actor cannot be started, with a remedy; empty for a usable actor. The part's checks run in both
    cases."""
    says_unusable: bool = False
    """True if the part's own checks report that the part is unusable; doctor reports all other unusable parts."""
    per_window: Callable[[Window], Address] | None = None
    """Address by window, for a kind with an actor per window; None for a single actor."""
    contributes: bool = False
    """True if asked `PrepareTurn`, in the table's order; the first contributor's block stands nearest to the prompt."""
    prepares_compaction: bool = False
    """True if asked before a window's history is cut; at most one part per window."""
    words: Callable[[Window], Address] | None = None
    """Address by window of the renderer of command results; at most one part has a renderer."""
    words_tokens: int = 0
    """Tokens of the renderer's texts, beside the history."""
    explains: tuple[str, ...] = ()
    """First lines of blocks that the part may bring; the system prompt explains each block."""
    refers: bool = False
    """True if the part's blocks name places that the model may expand, by `ExpandReference`."""
    subscribes: bool = False
    """True if the part receives `TurnEnded` and `EventsLogged`."""
    forgets: bool = False
    """True if the part holds data derived from the logs, and removes the data at `ForgetDerived`."""
    hears_readers: bool = False
    """True if the part receives `ReadersListed` and `ReadersChanged`, the readership of windows."""
    describes: bool = True
    """True if the part answers for `/status` and `agent status`."""
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    """Verbs for scripts in a window's sandbox."""
    operator_verbs: Mapping[str, Verb] = field(default_factory=dict)
    """Further verbs for the operator."""
    own_verbs: tuple[str, ...] = ()
    """Verbs answered by the part itself; no other part may define the same verbs."""
    commands: tuple[AnyCommand, ...] = ()
    """Slash commands of the part."""
    own_commands: tuple[str, ...] = ()
    """Slash commands served by the part itself; no other part may define the same commands."""
    presses: tuple[AnyPress, ...] = ()
    """Actions of the buttons below the part's answers."""
    checks: tuple[Check, ...] = ()
    """Checks of doctor on the part."""
    skills: tuple[Path, ...] = ()
    """Skill folders that come and go with the part."""
    skill_channels: frozenset[str] | None = None
    """Channels with the part's skills; None for all channels. The command line is offered every skill."""

    @property
    def taker(self) -> Taker:
        """Participant in a window's turns."""
        return self.per_window or self.address

    @property
    def address(self) -> Address:
        """Address of the single actor; for a kind with many actors, the address of the kind."""
        return Address(self.spec.kind)


@dataclass(frozen=True, slots=True)
class Menu:
    """Menu of a chat: commands and buttons of the parts, with their forms."""

    commands: tuple[AnyCommand, ...] = ()
    presses: tuple[AnyPress, ...] = ()
    describers: tuple[Address, ...] = ()
    """Parts with text for `/status`, in display order."""


class Parts:
    """Table of parts, in start order; code that needs to know the actors iterates over the table.

    Rows receive the table during construction, so an actor concerned with other actors (the sockets, the windows,
    Discord) can ask the table when built: by then the table is complete.
    """

    def __init__(self, plan: Plan, rows: Iterable[Row]) -> None:
        """The parts made from `plan` by `rows`; a row gives None for an absent part.

        Args:
            plan: Plan of the agent.
            rows: Rows in start order.

        Raises:
            ValueError: two parts claim the same actor, verb, command or button, or a command or button cannot be
                offered.
        """
        self._parts: tuple[Part, ...] = ()
        built = (row(plan, self) for row in rows)
        self._parts = tuple(part for part in built if part is not None)
        self._require_single_owners()

    def __iter__(self) -> Iterator[Part]:
        """In start order."""
        return iter(self._parts)

    def specs(self) -> tuple[ActorSpec, ...]:
        """Specifications of the actors, in start order.

        Raises:
            UnusableError: an actor cannot be started.
        """
        problems = [part.unusable for part in self if part.unusable]
        if problems:
            raise UnusableError("\n".join(problems))
        return tuple(part.spec for part in self)

    @property
    def contributors(self) -> tuple[Taker, ...]:
        """Participants asked before a turn, in order."""
        return tuple(part.taker for part in self if part.contributes)

    @property
    def compactor(self) -> Callable[[Window], Address] | None:
        """Address by window of the part asked before a history is cut; None without a compactor."""
        return next((part.per_window for part in self if part.prepares_compaction), None)

    @property
    def wording(self) -> Callable[[Window], Address] | None:
        """Address by window of the renderer of command results; None without a renderer."""
        return next((part.words for part in self if part.words is not None), None)

    @property
    def wording_tokens(self) -> int:
        """Tokens of the renderer's texts."""
        return sum(part.words_tokens for part in self if part.words is not None)

    @property
    def referrers(self) -> tuple[Address, ...]:
        """Parts whose blocks name places that can be expanded, in order."""
        return tuple(part.address for part in self if part.contributes and part.refers)

    @property
    def blocks(self) -> frozenset[str]:
        """First lines of all possible blocks."""
        return frozenset(name for part in self for name in part.explains)

    @property
    def subscribers(self) -> tuple[Taker, ...]:
        """Receivers of events of turns."""
        return tuple(part.taker for part in self if part.subscribes)

    @property
    def forgetters(self) -> tuple[Taker, ...]:
        """Parts that hold data derived from the logs, in the table's order."""
        return tuple(part.taker for part in self if part.forgets)

    @property
    def reader_listeners(self) -> tuple[Address, ...]:
        """Receivers of windows' readership."""
        return tuple(part.address for part in self if part.hears_readers)

    @property
    def describers(self) -> tuple[Address, ...]:
        """Parts that describe themselves."""
        return tuple(part.address for part in self if part.describes)

    @property
    def verbs(self) -> dict[str, Verb]:
        """Verbs for scripts in a window's sandbox."""
        return {name: verb for part in self for name, verb in part.verbs.items()}

    @property
    def operator_verbs(self) -> dict[str, Verb]:
        """Verbs for the operator."""
        return self.verbs | {name: verb for part in self for name, verb in part.operator_verbs.items()}

    @property
    def commands(self) -> tuple[AnyCommand, ...]:
        """Slash commands in the order of the menu: commands about the window itself come first."""
        every = (command for part in self for command in part.commands)
        return tuple(sorted(every, key=lambda command: command.to is not None))

    @property
    def presses(self) -> tuple[AnyPress, ...]:
        """Actions of buttons."""
        return tuple(press for part in self for press in part.presses)

    @property
    def menu(self) -> Menu:
        """Commands and buttons for people in a chat."""
        return Menu(self.commands, self.presses, self.describers)

    @property
    def checks(self) -> tuple[Check, ...]:
        """Checks of doctor."""
        return tuple(check for part in self for check in part.checks)

    @property
    def skills(self) -> tuple[Path, ...]:
        """Skill folders of the parts; a skill shipped with the agent wins over a layer's skill of the same name."""
        folders = (folder for part in self for folder in part.skills)
        return tuple(sorted(folders, key=lambda folder: not folder.is_relative_to(SHIPPED_SKILLS)))

    @property
    def skill_channels(self) -> dict[Path, frozenset[str]]:
        """Folders of skills limited to some channels, each with the channels."""
        return {
            folder: part.skill_channels for part in self if part.skill_channels is not None for folder in part.skills
        }

    def _require_single_owners(self) -> None:
        self._require_unique("actor", lambda part: (part.spec.kind,))
        self._require_unique("verb", lambda part: (*part.own_verbs, *part.verbs, *part.operator_verbs))
        self._require_unique("command", lambda part: part.own_commands + _names(part.commands))
        self._require_unique("compaction", lambda part: ("compaction",) if part.prepares_compaction else ())
        self._require_unique("wording of results", lambda part: ("results",) if part.words is not None else ())
        self._require_unique("button", lambda part: tuple(press.prefix for press in part.presses))
        for name, verb in self.operator_verbs.items():
            check_verb(name, verb)
        check_commands(self.commands, (name for part in self for name in part.own_commands))
        check_presses(self.presses)

    def _require_unique(self, what: str, claims: Callable[[Part], tuple[str, ...]]) -> None:
        owners: dict[str, str] = {}
        for part in self:
            for name in claims(part):
                if name in owners:
                    both = f"actors {owners[name]!r} and {part.spec.kind!r}"
                    raise ValueError(f"{what} {name!r}: two parts claim it, {both}")
                owners[name] = part.spec.kind


Row = Callable[["Plan", Parts], Part | None]
"""Function from the plan to a part; None for a part not wanted by the settings."""


def _names(commands: Iterable[AnyCommand]) -> tuple[str, ...]:
    return tuple(command.name for command in commands)
