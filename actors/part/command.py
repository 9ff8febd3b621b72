"""Slash command as data: what is asked of which actor, and how its reply reads; needs no library of Discord's."""

from __future__ import annotations

import keyword
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from messages.base import Address, Message, RequestId, UserId, Window

R = TypeVar("R", bound=Message)
_WORD = re.compile("[a-z0-9_-]{1,32}")
_PREFIX = re.compile("[a-z0-9_-]{1,32}:")
_LONGEST_DESCRIPTION = 100
"""Characters, as Discord takes them."""
_MOST_ARGUMENTS = 25
_LONGEST_ARGUMENT = 6000
"""Characters, as Discord takes them."""
_RESERVED = frozenset((*keyword.kwlist, "interaction"))
"""Words that cannot name a parameter of a command's function, of which discord.py takes its arguments."""
NO_CHOICES: tuple[str, ...] = ()
ArgumentValues = Mapping[str, str]
"""Argument -> what the person gave; empty for one that was left out."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a command or press of a button, by a person with permission."""

    request_id: RequestId
    reply_to: Address
    window: Window
    audience: str
    """Readers of the window, as a label of `domain.policy.audience`; empty if unknown."""
    person_id: UserId
    person_name: str
    is_member: bool
    """True if the person may do everything; otherwise a viewer."""
    manages_messages: bool = False
    """True if the person may manage messages in the window."""
    manages_server: bool = False
    """True if the person may manage the server of the window."""


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press below an answer."""

    label: str
    custom_id: str
    """A `Press`'s prefix and what it is about; says what it does, also in a later life."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Words, and what can be pressed below them."""

    text: str
    """Of any length."""
    buttons: tuple[Button, ...] = ()
    file: tuple[str, str] | None = None
    """Name and text of a file below the words."""


class Wording:
    """Form of an answer's words where people read them: Discord's markdown, unless a subclass says otherwise."""

    is_terminal = False
    """True in a terminal, where an answer says all that its reply holds."""
    prefix = "/memory"
    """Words before the name of one of the memory's commands."""

    @abstractmethod
    def sanitise(self, text: str) -> str:
        """Text of a person, without the agent's secrets and without hidden characters."""

    @abstractmethod
    def quote(self, text: str, chars: int) -> str:
        """The same in one line of at most `chars` characters, in which markdown means nothing."""

    def moment(self, at: datetime, style: str) -> str:
        """A time as each reader's own clock shows it.

        Args:
            at: Aware.
            style: One of Discord's letters, such as `F` for day and time, `R` for how far away, `d` for the day.
        """
        return f"<t:{int(at.timestamp())}:{style}>"

    def note(self, text: str) -> str:
        """A line in small print."""
        return f"-# {text}"

    def title(self, text: str) -> str:
        """Words above others."""
        return f"**{text}**"


@dataclass(frozen=True, slots=True)
class Completion:
    """Choices that an actor is asked for: which there are now."""

    to: Address
    request: Callable[[RequestId, Address], Message]
    """Made of a request id and where to reply."""
    names: Callable[[Message], tuple[str, ...]]
    """Choices that a reply offers; empty for a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a slash command, a text."""

    name: str
    description: str
    longest: int
    """Characters."""
    required: bool = True
    choices: tuple[str, ...] | Completion = NO_CHOICES
    """Offered while it is typed; others are taken as well."""


@dataclass(frozen=True, kw_only=True)
class Words(Generic[R]):
    """Wording of a reply for people."""

    reply: type[R]
    """Type of the reply, `Refused` apart."""
    answer: Callable[[R, Wording], Answer]


@dataclass(frozen=True, kw_only=True)
class Question(Words[R]):
    """Request to an actor on a person's behalf, and the wording of the reply."""

    request: Callable[[Invocation, ArgumentValues], Message]
    """Has the invocation's `request_id` and `reply_to`."""
    to: Address | Callable[[Window], Address] | None = None
    """Whom to ask, by the window where each has its own; None for the window's ContextActor."""
    refused: str = "Not done"
    """Stands before the reason of a refusal."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Presentation of a slash command to people."""

    name: str
    """One word, or two: a group and the command in it."""
    description: str
    group_description: str = ""
    """Of the group; the first command of a group says it."""
    arguments: tuple[Argument, ...] = ()
    for_viewers: bool = False
    """True if people without permission to run commands may use the offer."""
    menu: str = ""
    """Name of the same command in a message's menu, where its first argument is the message's id; empty for none."""
    keeps_words: bool = False
    """True if words of the person are kept: refused where memory is off."""


@dataclass(frozen=True, kw_only=True)
class Command(Offer, Question[R]):
    """A slash command that asks an actor and shows its reply."""


@dataclass(frozen=True, kw_only=True)
class SpokenCommand(Offer, Generic[R]):
    """Slash command that looks up words and posts them in the window in the person's name, to be answered there.

    The lookup happens before the command's place among the channel's messages comes up, so the command keeps its place.
    """

    to: Address
    request: Callable[[RequestId, Address, ArgumentValues], Message]
    """Made of a request id and where to reply."""
    reply: type[R]
    speech: Callable[[R], str]
    """Words that the person says."""
    answer: Callable[[R, Wording], Answer]


@dataclass(frozen=True, kw_only=True)
class Press(Question[R]):
    """Action of a button; `given` holds what follows the prefix, under `id`."""

    prefix: str
    """Of the button's custom id; ends in a colon."""
    is_urgent: bool = False
    """True if the words come before messages that still wait in the channel."""
    for_viewers: bool = False
    """True if people without permission to run commands may press."""


AnyCommand = Command[Any] | SpokenCommand[Any]
AnyPress = Press[Any]


def check_commands(commands: Iterable[AnyCommand], own: Iterable[str] = ()) -> None:
    """See that all can be offered in one chat.

    Args:
        commands: Of the parts.
        own: Names that the chat itself has taken.

    Raises:
        ValueError: a name, an argument or a description that cannot be, or a command that has the name of a group.
    """
    commands = tuple(commands)
    groups: set[str] = set()
    for command in commands:
        group, _, name = command.name.rpartition(" ")
        if not all(_WORD.fullmatch(word) for word in ((group, name) if group else (name,))):
            raise ValueError(
                f"command {command.name!r}: must be one or two words of a-z, 0-9, _ and -, 32 at most each"
            )
        if not 0 < len(command.description) <= _LONGEST_DESCRIPTION:
            raise ValueError(
                f"command {command.name!r}: its description must have 1 to {_LONGEST_DESCRIPTION} characters"
            )
        _check_arguments(command)
        if group and group not in groups and not command.group_description:
            raise ValueError(f"command {command.name!r}: the first command of a group must describe the group")
        groups |= {group} if group else set()
    for name in (*own, *(command.name for command in commands)):
        if name in groups:
            raise ValueError(f"command {name!r}: a group of commands has that name")


def _check_arguments(command: AnyCommand) -> None:
    names = [argument.name for argument in command.arguments]
    if len(names) > _MOST_ARGUMENTS or len(set(names)) < len(names):
        raise ValueError(f"command {command.name!r}: at most {_MOST_ARGUMENTS} arguments, each of another name")
    for argument in command.arguments:
        what = f"command {command.name!r}, argument {argument.name!r}"
        if not _WORD.fullmatch(argument.name) or not argument.name.isidentifier() or argument.name in _RESERVED:
            raise ValueError(
                f"{what}: must be a word of a-z, 0-9 and _, 32 characters at most, and not a keyword of Python"
            )
        if not 0 < len(argument.description) <= _LONGEST_DESCRIPTION:
            raise ValueError(f"{what}: its description must have 1 to {_LONGEST_DESCRIPTION} characters")
        if not 0 < argument.longest <= _LONGEST_ARGUMENT:
            raise ValueError(f"{what}: longest must be 1 to {_LONGEST_ARGUMENT} characters")


def check_presses(presses: Iterable[AnyPress]) -> None:
    """Check that each button's custom id names its owner.

    Raises:
        ValueError: a prefix that is not one word and a colon.
    """
    for press in presses:
        if not _PREFIX.fullmatch(press.prefix):
            raise ValueError(f"button {press.prefix!r}: its prefix must be a word of a-z, 0-9, _ and -, and a colon")
