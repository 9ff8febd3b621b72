"""Questions to a person on a terminal, and the answers for a run without questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import click

from actors.cli.setup.choosing import Item
from domain.text.terminal_text import plain

T = TypeVar("T")
MOST_SHOWN = 60


class NobodyAskedError(Exception):
    """A value is missing and only a person could give it; the text names the option."""


class Talk:
    """A person's answers, asked for until they fit."""

    def __init__(self, *, asks: bool) -> None:
        """Begin without questions.

        Args:
            asks: True if a person can be asked.
        """
        self.asks = asks

    def say(self, text: str = "") -> None:
        """Tell a text."""
        click.echo(plain(text))

    def head(self, number: int, text: str) -> None:
        """Begin a step."""
        if self.asks:
            self.say()
        self.say(f"{number}. {text}")

    def type_in(self, text: str, option: str, default: str = "", *, display: str = "", hidden: bool = False) -> str:
        """Ask for text; `default` for Enter, displayed as `display` unless empty.

        Raises:
            NobodyAskedError: no person can be asked, and there is no default.
        """
        if not self.asks:
            if default:
                return default
            raise NobodyAskedError(f"{option} is required: {text}")
        words = plain(f"   {text}" + (f" [{display or default}]" if default and not hidden else ""))
        answer = str(click.prompt(words, default="", show_default=False, hide_input=hidden, prompt_suffix=": ")).strip()
        return answer or default

    def type_until(
        self,
        text: str,
        option: str,
        take: Callable[[str], T],
        default: str = "",
        *,
        display: str = "",
        hidden: bool = False,
    ) -> T:
        """Ask for text until `take` accepts it; return the result of `take`. Each ValueError repeats the question.

        Raises:
            NobodyAskedError: no person can be asked, and the options' value does not fit.
        """
        while True:
            try:
                return take(self.type_in(text, option, default, display=display, hidden=hidden))
            except ValueError as error:
                if not self.asks:
                    raise NobodyAskedError(f"{option}: {error}") from error
                self.say(f"   {error}")

    def agrees(self, text: str, *, default: bool) -> bool:
        """True if the person agrees; `default` if no person can be asked."""
        if not self.asks:
            return default
        return bool(click.confirm(f"   {text}", default=default))

    def show(self, items: Sequence[Item], headings: Sequence[str] = ()) -> None:
        """List the choices, with numbers; under headings wherever the heading changes."""
        before = ""
        for number, item in enumerate(items[:MOST_SHOWN], 1):
            heading = headings[number - 1] if headings else ""
            if heading != before:
                self.say(f"   {heading}")
                before = heading
            self.say(f"   {number:3}  {item.name}{f'  {item.about}' if item.about else ''}")
        if len(items) > MOST_SHOWN:
            self.say(f"        … and {len(items) - MOST_SHOWN} more: type the beginning of a name")
