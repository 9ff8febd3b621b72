"""Slash command as data: the question, the actor asked, and the form of the reply; needs no library of Discord's."""

from __future__ import annotations

import keyword
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from actors.kernel import MakeQuestion
from messages.base import Address, Message, RequestId, UserId, Window

R = TypeVar("R", bound=Message)
_WORD = re.compile("[a-z0-9_-]{1,32}")
_PREFIX = re.compile("[a-z0-9_-]{1,32}:")
_LONGEST_DESCRIPTION = 100
"""Longest text in characters accepted by Discord."""
_MOST_ARGUMENTS = 25
_LONGEST_ARGUMENT = 6000
"""Longest text in characters accepted by Discord."""
_RESERVED = frozenset((*keyword.kwlist, "interaction"))
"""Words that cannot name a parameter of a command's function; discord.py takes arguments from the parameters."""
NO_CHOICES: tuple[str, ...] = ()
ArgumentValues = Mapping[str, str]
"""Argument -> the person's text; empty for an omitted argument."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """Call of a command or press of a button, by a person with permission."""

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
    """Button below an answer."""

    label: str
    custom_id: str
    """A `Press`'s prefix and its subject; identifies the action, also in a later life."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Words, and buttons below the words."""

    text: str
    """Of any length."""
    buttons: tuple[Button, ...] = ()
    file: tuple[str, str] | None = None
    """Name and text of a file below the words."""


class Wording:
    """Form of an answer's words for people: Discord's markdown, unless a subclass differs."""

    is_terminal = False
    """True in a terminal, where an answer shows the whole content of a reply."""
    prefix = "/memory"
    """Words before the name of a memory command."""

    @abstractmethod
    def sanitise(self, text: str) -> str:
        """Text of a person, without the agent's secrets and without hidden characters."""

    @abstractmethod
    def quote(self, text: str, chars: int) -> str:
        """The text as a single line of at most `chars` characters, without effect as markdown."""

    def moment(self, at: datetime, style: str) -> str:
        """Time as shown by each reader's own clock.

        Args:
            at: Time with a time zone.
            style: A letter of Discord's, for example `F` for day and time, `R` for the distance from now, `d` for the
                day.
        """
        return f"<t:{int(at.timestamp())}:{style}>"

    def note(self, text: str) -> str:
        """A line in small print."""
        return f"-# {text}"

    def title(self, text: str) -> str:
        """Heading."""
        return f"**{text}**"


@dataclass(frozen=True, slots=True)
class Completion:
    """Choices provided by an actor at the time of the request."""

    to: Address
    request: MakeQuestion
    names: Callable[[Message], tuple[str, ...]]
    """Choices offered in a reply; empty for a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """Text argument of a slash command."""

    name: str
    description: str
    longest: int
    """Characters."""
    required: bool = True
    choices: tuple[str, ...] | Completion = NO_CHOICES
    """Choices offered during typing; other values are accepted too."""


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
    """Address to ask, by window for an actor of each window; None for the window's ContextActor."""
    refused: str = "Not done"
    """Stands before the reason of a refusal."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Presentation of a slash command to people."""

    name: str
    """A single word, or two words: a group and a command in the group."""
    description: str
    group_description: str = ""
    """Description of the group, given by the group's first command."""
    arguments: tuple[Argument, ...] = ()
    for_viewers: bool = False
    """True if people without permission to run commands may use the offer."""
    menu: str = ""
    """Name of the same command in a message's menu, with the message's id as the first argument; empty without a menu.
    """
    keeps_words: bool = False
    """True if words of the person are kept: refused where memory is off."""


@dataclass(frozen=True, kw_only=True)
class Command(Offer, Question[R]):
    """Slash command that asks an actor and shows the reply."""


@dataclass(frozen=True, kw_only=True)
class SpokenCommand(Offer, Generic[R]):
    """Slash command that looks up words and posts the words in the window in the person's name, for an answer there.

    The lookup happens before the command's place among the channel's messages comes up, so the command keeps its place.
    """

    to: Address
    request: Callable[[RequestId, Address, ArgumentValues], Message]
    """Made of a request id and where to reply."""
    reply: type[R]
    speech: Callable[[R], str]
    """Words for the person to say."""
    answer: Callable[[R, Wording], Answer]


@dataclass(frozen=True, kw_only=True)
class Press(Question[R]):
    """Action of a button; `given` holds the text after the prefix, under `id`."""

    prefix: str
    """Of the button's custom id; ends in a colon."""
    is_urgent: bool = False
    """True if the words come before messages still waiting in the channel."""
    for_viewers: bool = False
    """True if people without permission to run commands may press."""


AnyCommand = Command[Any] | SpokenCommand[Any]
AnyPress = Press[Any]


def check_commands(commands: Iterable[AnyCommand], own: Iterable[str] = ()) -> None:
    """Check that all commands can be offered in one chat.

    Args:
        commands: Commands of the parts.
        own: Names taken by the chat itself.

    Raises:
        ValueError: an impossible name, argument or description, or a command with the name of a group.
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
        ValueError: a prefix in a form other than a word and a colon.
    """
    for press in presses:
        if not _PREFIX.fullmatch(press.prefix):
            raise ValueError(f"button {press.prefix!r}: its prefix must be a word of a-z, 0-9, _ and -, and a colon")
