"""Text streams of the commands: foreign text is shown on stdout and stderr, and steers no terminal.

Models, people, files and servers may put escape sequences into their words. This module is the only place that makes
them visible, behind `click.echo`, log lines, tables and tracebacks alike; a command need not take care.
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
    """Text stream in front of another stream, with the other stream's terminal, if any."""

    def __init__(self, stream: TextIO) -> None:
        """Stand before `stream`, and leave it open."""
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
        """Descriptor of the stream behind, for callers that want the terminal's size."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """True, because the stream can be written to."""
        return True


class ShownStream(_StreamBefore):
    r"""Text stream that writes everything that could steer a terminal as `\uXXXX`, in a pipe as well.

    In JSON this form means the same character. The stream has no `buffer`, so bytes cannot bypass the stream.
    """

    def flush(self) -> None:
        """Flush the written text."""
        with _translate_errors():
            self._stream.flush()

    def write(self, text: str | bytes, /) -> int:
        """Show `text`, sometimes bytes from click; return the length."""
        if isinstance(text, bytes):
            text = text.decode(errors="backslashreplace")
        with _translate_errors():
            self._stream.write(visible(text.replace("\r\n", "\n")))
        return len(text)

    def write_as_is(self, text: str) -> None:
        """Write `text` unchanged: our own words, or words never shown on a terminal."""
        with _translate_errors():
            self._stream.write(text)
            self._stream.flush()


class ShownCommand(click.Command):
    """Top-level command; replaces all streams by shown streams before the arguments are read."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command; Python's messages about the end go through the same streams."""
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
    """Top-level group; messages about commands are shown likewise."""


@contextlib.contextmanager
def _translate_errors() -> Iterator[None]:
    """Tell a full stream (on a full disk) from a stream without a reader; only a full stream is an error."""
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
    """Foreign text made safe to draw: a single line, without control, direction or hidden characters."""
    return visible(" ".join(plain(text).split()))


def echo_answer(text: str) -> None:
    """Print a model's words: shown on a terminal; unchanged in a file or a pipe, except for terminal controls.

    A pipe may still lead to a terminal, behind `tee` or `ssh`.
    """
    stream = sys.stdout
    if isinstance(stream, ShownStream) and not stream.isatty():
        stream.write_as_is(_STEERS.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\r\n", "\n")) + "\n")
    else:
        click.echo(text)


def echo_styled(mark: str, rest: str, **style: Any) -> None:
    """Print a line that begins with `mark`, in `style` (as click names it) on a terminal.

    Where NO_COLOR is set the line has no colour (https://no-color.org), and a dumb terminal gets no style at all.
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
    """Text stream by which a library draws on a terminal; pass foreign words through `on_one_line` first.

    A shown stream is bypassed.
    """

    def write(self, text: str, /) -> int:
        """Draw `text`; return the length."""
        if isinstance(self._stream, ShownStream):
            self._stream.write_as_is(text)
        else:
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the drawn text."""
        self._stream.flush()


def own_stream(stream: TextIO) -> TextIO:
    """Stream that draws on the terminal behind `stream`."""
    return cast("TextIO", OwnStream(stream))


def _write_own(stream: TextIO, sequence: str) -> None:
    """Write an escape sequence of our own if a terminal can act on the sequence."""
    if isinstance(stream, ShownStream) and stream.isatty():
        stream.write_as_is(sequence)
