"""Selector of asyncio loops that goes on where the kernel registers no more descriptors with epoll."""

from __future__ import annotations

import errno
import logging
import math
import select
import selectors
from collections import ChainMap
from collections.abc import Iterator, Mapping
from selectors import EVENT_READ, EVENT_WRITE, SelectorKey
from types import MappingProxyType
from typing import Any, Protocol

log = logging.getLogger(__name__)


class _HasFileno(Protocol):
    def fileno(self) -> int: ...


FileObject = int | _HasFileno

_REFUSALS = (errno.ENOSPC, errno.ENOMEM)


class OverflowSelector(selectors.EpollSelector):
    """Selector that uses epoll(7), and poll(2) for the descriptors that epoll has no room for.

    All processes of a user share one number of registrations (`fs.epoll.max_user_watches`), so any of them can use it
    up for the others. poll(2) keeps nothing in the kernel: nobody can use that up. While a descriptor is in the
    overflow, the epoll descriptor is polled with it; when none is, all is as with epoll alone.
    """

    def __init__(self) -> None:
        """With nothing registered.

        Raises:
            OSError: there are no more files to open.
        """
        super().__init__()
        self._overflow: dict[int, SelectorKey] = {}
        self._poll = select.poll()
        self._poll.register(self.fileno(), select.POLLIN)
        self._epoll_fd = self.fileno()
        self._has_warned = False

    def register(self, fileobj: FileObject, events: int, data: Any = None) -> SelectorKey:
        """Watch `fileobj`.

        Raises:
            ValueError: no such events, or no such file.
            KeyError: it is watched already.
            OSError: it cannot be watched.
        """
        if self._overflow and self._overflowing(fileobj) is not None:
            raise KeyError(f"{fileobj!r} is already registered")
        try:
            return super().register(fileobj, events, data)
        except OSError as error:
            if error.errno not in _REFUSALS:
                raise
            self._warn(error)
        descriptor = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        key = SelectorKey(fileobj, descriptor, events, data)
        self._poll.register(descriptor, _poll_mask(events))
        self._overflow[descriptor] = key
        return key

    def unregister(self, fileobj: FileObject) -> SelectorKey:
        """Watch `fileobj` no more; it may be closed already.

        Raises:
            KeyError: it is not watched.
        """
        key = self._overflowing(fileobj) if self._overflow else None
        if key is None:
            return super().unregister(fileobj)
        del self._overflow[key.fd]
        self._poll.register(key.fd, 0)  # there is no harm in it if `select` took it out
        self._poll.unregister(key.fd)
        return key

    def modify(self, fileobj: FileObject, events: int, data: Any = None) -> SelectorKey:
        """Watch `fileobj` for other events, or with other data.

        Raises:
            ValueError: no such events.
            KeyError: it is not watched.
        """
        key = self._overflowing(fileobj) if self._overflow else None
        if key is None:
            return super().modify(fileobj, events, data)
        if not events or events & ~(EVENT_READ | EVENT_WRITE):
            raise ValueError(f"events {events!r}: EVENT_READ, EVENT_WRITE or both are required")
        key = self._overflow[key.fd] = key._replace(events=events, data=data)
        self._poll.register(key.fd, _poll_mask(events))
        return key

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """What is ready, waiting for it up to `timeout` seconds; None waits for ever, 0 or less not at all."""
        if not self._overflow:
            return super().select(timeout)
        wait_ms = None if timeout is None else max(0, math.ceil(timeout * 1e3))
        try:
            events = self._poll.poll(wait_ms)
        except InterruptedError:
            return []
        ready: list[tuple[SelectorKey, int]] = []
        for descriptor, event in events:
            if descriptor == self._epoll_fd:
                ready += super().select(0)
            elif event & select.POLLNVAL:
                self._poll.unregister(descriptor)  # closed: epoll would have forgotten it, too
            elif happened := _happened(event) & self._overflow[descriptor].events:
                ready.append((self._overflow[descriptor], happened))
        return ready

    def get_map(self) -> Mapping[FileObject, SelectorKey]:
        """Key of each file, as it is now."""
        registered = super().get_map()
        if not self._overflow:
            return registered
        return MappingProxyType(ChainMap(registered, _OverflowMap(self)))  # type: ignore[arg-type]

    def close(self) -> None:
        """Forget all and close the epoll descriptor."""
        self._overflow.clear()
        self._poll = select.poll()
        super().close()

    def _overflowing(self, fileobj: object) -> SelectorKey | None:
        """The key of a file that is in the overflow; one that is closed is known by its object."""
        descriptor = fileobj if isinstance(fileobj, int) else _descriptor(fileobj)
        if descriptor >= 0:
            return self._overflow.get(descriptor)
        return next((key for key in self._overflow.values() if key.fileobj is fileobj), None)

    def _warn(self, error: OSError) -> None:
        if not self._has_warned:
            self._has_warned = True
            log.warning("epoll takes no more descriptors (%s): those are polled", error.strerror)


class _OverflowMap(Mapping[FileObject, SelectorKey]):
    """Mapping of what is in a selector's overflow, by descriptors as well as by files."""

    def __init__(self, selector: OverflowSelector) -> None:
        self._selector = selector

    def __getitem__(self, fileobj: FileObject) -> SelectorKey:
        key = self._selector._overflowing(fileobj)
        if key is None:
            raise KeyError(f"{fileobj!r} is not registered")
        return key

    def __iter__(self) -> Iterator[FileObject]:
        return iter(tuple(self._selector._overflow))

    def __len__(self) -> int:
        return len(self._selector._overflow)


def _descriptor(fileobj: object) -> int:
    """The file's descriptor; -1 if it has none, or none any more."""
    try:
        return int(fileobj.fileno())  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError):
        return -1


def _poll_mask(events: int) -> int:
    return (select.POLLIN if events & EVENT_READ else 0) | (select.POLLOUT if events & EVENT_WRITE else 0)


def _happened(event: int) -> int:
    """An error or the other side's end is for readers and writers, as with the standard library's selectors."""
    return (EVENT_WRITE if event & ~select.POLLIN else 0) | (EVENT_READ if event & ~select.POLLOUT else 0)
