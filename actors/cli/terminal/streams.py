"""Text streams of the commands: what others said is shown on stdout and stderr, and steers no terminal.

Models, people, files and servers may put escape sequences into their words. Here is the one place where those are made
visible, behind `click.echo`, log lines, tables and tracebacks alike; a command need not think of it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

import click

from domain.log.escape import visible
from domain.text.terminal_text import plain

_STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class NotShownError(OSError):
    """Output cannot be written, though a reader may still exist."""


class _StreamBefore(io.TextIOBase):
    """Text stream in front of another one, whose terminal, if there is one, is its own."""

    def __init__(self, stream: TextIO) -> None:
        """Stands before `stream`, which stays open."""
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute there
        """Encoding of the stream behind it."""
        return self._stream.encoding

    @property
    def errors(self) -> str:  # type: ignore[override]
        """Error handler of the stream behind it."""
        return self._stream.errors or "strict"

    def isatty(self) -> bool:
        """True if the stream behind it is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The descriptor behind it, as those ask who want the terminal's size."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """True, because the stream can be written to."""
        return True


class ShownStream(_StreamBefore):
    r"""Text stream in which everything that could steer a terminal is written as `\uXXXX`, in a pipe as well.

    In JSON that form means the same character. The stream has no `buffer`, so bytes cannot bypass it.
    """

    def flush(self) -> None:
        """Send on what was written."""
        with _translate_errors():
            self._stream.flush()

    def write(self, text: str | bytes, /) -> int:
        """Show `text`, which click has as bytes at times; how much of it there was."""
        if isinstance(text, bytes):
            text = text.decode(errors="backslashreplace")
        with _translate_errors():
            self._stream.write(visible(text.replace("\r\n", "\n")))
        return len(text)

    def write_as_is(self, text: str) -> None:
        """Write `text` unchanged: words of ours, or words that no terminal shows."""
        with _translate_errors():
            self._stream.write(text)
            self._stream.flush()


class ShownCommand(click.Command):
    """Command of the top level; makes its streams shown streams before it reads the arguments."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run it; what Python says of its end goes through the same streams."""
        sys.stdout, sys.stderr = _wrap_stream(sys.stdout), _wrap_stream(sys.stderr)
        try:
            return super().main(*args, **kwargs)
        except NotShownError as error:
            with open(os.devnull, "w") as nowhere:  # noqa: PTH123  # where what is left of it goes at the exit
                os.dup2(nowhere.fileno(), 1)
            with contextlib.suppress(OSError):
                click.echo(f"error: the output cannot be written: {error.strerror}", err=True)
            sys.exit(1)
        except PermissionError as error:  # a data root of another user's, for one
            if error.filename is None:
                raise
            click.echo(f"error: {os.fsdecode(error.filename)}: {error.strerror}", err=True)
            sys.exit(1)


class ShownGroup(ShownCommand, click.Group):
    """Group of the top level; what it says of its commands is shown likewise."""


@contextlib.contextmanager
def _translate_errors() -> Iterator[None]:
    """Tell a stream that takes no more, as of a full disk, from one whose reader is gone, which is no error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotShownError(error.errno, error.strerror) from error


def _wrap_stream(stream: Any) -> Any:
    if stream is None or isinstance(stream, ShownStream):  # there is no stream where a descriptor is closed
        return stream
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="backslashreplace")  # a letter that the terminal lacks ends no command
    return ShownStream(stream)


def on_one_line(text: str) -> str:
    """Text of others, made fit to draw: one line, without control, direction or hidden characters."""
    return visible(" ".join(plain(text).split()))


def echo_answer(text: str) -> None:
    """Print a model's words: on a terminal shown, into a file or a pipe as they are, but for what steers a terminal.

    A terminal may yet be at a pipe's other end, behind `tee` or `ssh`.
    """
    stream = sys.stdout
    if isinstance(stream, ShownStream) and not stream.isatty():
        stream.write_as_is(_STEERS.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\r\n", "\n")) + "\n")
    else:
        click.echo(text)


def echo_styled(mark: str, rest: str, **style: Any) -> None:
    """Print one line that begins with `mark`, which is in `style` (as click names it) on a terminal.

    Where NO_COLOR is set it has no colour (https://no-color.org), and a dumb terminal gets no style at all.
    """
    if os.environ.get("NO_COLOR"):
        style = {name: value for name, value in style.items() if name not in ("fg", "bg")}
    if os.environ.get("TERM", "dumb") == "dumb":
        style = {}
    before, after = click.style("\n", **style).split("\n") if style else ("", "")
    _write_own(sys.stdout, before)
    click.echo(mark, nl=False)
    _write_own(sys.stdout, after)
    click.echo(rest)


class OwnStream(_StreamBefore):
    """Text stream by which a library draws on a terminal; the words of others must be `on_one_line` before.

    A shown one is gone around.
    """

    def write(self, text: str, /) -> int:
        """Draw `text`; how much of it there was."""
        if isinstance(self._stream, ShownStream):
            self._stream.write_as_is(text)
        else:
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Send on what was drawn."""
        self._stream.flush()


def own_stream(stream: TextIO) -> TextIO:
    """Stream that draws on the terminal behind `stream`."""
    return cast("TextIO", OwnStream(stream))


def _write_own(stream: TextIO, sequence: str) -> None:
    """Write an escape sequence of ours, where a terminal can act on it."""
    if isinstance(stream, ShownStream) and stream.isatty():
        stream.write_as_is(sequence)
