"""Error of a server or its session, in words for the model."""

from __future__ import annotations


class ServerError(Exception):
    """A request of a server did not succeed; the text says why."""


class SessionOverError(ServerError):
    """The session has ended, and all its pending requests."""


def words_of(error: BaseException) -> str:
    """Words about an error of a library; of a group, about the first innermost error."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return str(error).strip() or type(error).__name__
