"""Program of the child: reads the document on stdin, writes its report to stdout, within its own limit of time."""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable

from actors.shell.documents.reader.report import FullError, Report, UnreadableError

_NOT_NEEDED = ("numpy", "PIL", "pandas")
"""Libraries imported by other libraries if present, at the price of memory and time."""
_MOST_FRAMES = 4_000
_AGAIN_S = 0.5
"""Seconds until the end of time is raised again: a library may catch the error."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"
"""Name of a stream in UTF-16."""
_NO_MEMORY = "reading it takes more memory than it may have"
_HEAD_BYTES = 1_024
_PDF = b"%PDF-"


class _TimeUpError(BaseException):
    """Time is up; no library may take this error for its own."""


def main() -> None:
    """Read stdin and report.

    Arguments: seconds of the clock, and seconds of the processor, after which the text is cut off.
    """
    stdout = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(silence, descriptor)
    for name in _NOT_NEEDED:
        sys.modules[name] = None  # type: ignore[assignment]  # so says the documentation of `import`
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(_MOST_FRAMES)
    with os.fdopen(stdout, "wb", buffering=0) as output:
        report = Report(output.write)
        for number, (timer, seconds) in _timers().items():
            signal.signal(number, _end_time)
            signal.setitimer(timer, seconds, _AGAIN_S)
        read(sys.stdin.buffer.read(), report)


def read(data: bytes, report: Report) -> None:
    """Report on a document, including any failure."""
    try:
        _reader_of(data)(io.BytesIO(data), report)
    except UnreadableError as error:
        report.refuse(str(error))
        return
    except FullError:
        report.remark(f"only the first {report.chars:,} characters are read")
    except _TimeUpError as error:
        _give_up(report, f"reading it takes more than {error}")
    except MemoryError:
        _give_up(report, _NO_MEMORY)
    except Exception as error:  # noqa: BLE001 - a library of a document says by any exception that the file is broken
        # The XML library knows no other error for memory that it does not get.
        is_memory = "memory" in str(error).lower()
        _give_up(report, _NO_MEMORY if is_memory else f"it is broken: {type(error).__name__}")
    report.end()


def _give_up(report: Report, reason: str) -> None:
    """Cut the text off; without a text, give a reason instead."""
    for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF):
        signal.setitimer(timer, 0)
    if report.chars:
        report.remark(f"the text ends early: {reason}")
    else:
        report.refuse(reason)


def _reader_of(data: bytes) -> Callable[[io.BytesIO, Report], None]:
    """Reader for the kind of document in `data`, regardless of the name.

    Raises:
        UnreadableError: the kind is not readable.
    """
    if _PDF in data[:_HEAD_BYTES]:
        from actors.shell.documents.reader import pdf

        return pdf.read
    if data.startswith(_OLE):
        if _ENCRYPTED_PACKAGE in data:
            raise UnreadableError("it is protected with a password")
        raise UnreadableError("it is in an old format of Office (.doc, .xls, .ppt), which is not read")
    from actors.shell.documents.reader.package import Kind, kind_of

    if kind_of(data) is Kind.WORD:
        from actors.shell.documents.reader import word

        return word.read
    from actors.shell.documents.reader import sheets

    return sheets.read


def _timers() -> dict[signal.Signals, tuple[int, float]]:
    return {
        signal.SIGALRM: (signal.ITIMER_REAL, float(sys.argv[1])),
        signal.SIGPROF: (signal.ITIMER_PROF, float(sys.argv[2])),
    }


def _end_time(number: int, _frame: object) -> None:
    seconds = _timers()[signal.Signals(number)][1]
    raise _TimeUpError(f"{seconds:g} s" if number == signal.SIGALRM else f"{seconds:g} s of the processor's time")
