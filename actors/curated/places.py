"""Places of curated memory: the scopes of a window, and the permission to write the window's words there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from actors.curated.config import CLI, MEMORY, CuratedConfig
from domain.curated.page import Scope
from domain.policy.audience import Audience, admits, is_open
from domain.policy.known_readers import KnownReaders
from messages.base import Surface, Window
from messages.discord import Readers

_ELSEWHERE = "; say it in a channel or public thread that they may read, too"
_PRIVATE = f"this conversation is private, and others read the {{what}}{_ELSEWHERE}"
_UNKNOWN = "the readers of this conversation are unknown now, and other people read the {what}; try again in a minute"
_NARROW = f"some readers of the {{what}} may not read this conversation{_ELSEWHERE}"
_CHANNELS = (Surface.DISCORD_CHANNEL, Surface.DISCORD_THREAD)
_WHAT = {
    Scope.GLOBAL: "global memory, which every conversation shows",
    Scope.PROJECT: "project's memory, which its channels show",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Scope as seen from a window."""

    scope: Scope
    root: Path
    """Folder trusted not to be a link: the global folder, or the repository."""
    inner: str
    """The memory folder, from the root on; empty for the root itself."""
    denial: str = ""
    """Reason why the window may not write there; empty if it may."""

    @property
    def folder(self) -> Path:
        """The memory folder."""
        return self.root / self.inner if self.inner else self.root

    @property
    def may_write(self) -> bool:
        """True if the window may write there."""
        return not self.denial


@dataclass(frozen=True, slots=True)
class WindowPlaces:
    """Scopes of a window."""

    places: tuple[Place, ...]
    """Places, the global place first."""
    is_untrusted: bool = False
    """True if the window's channel has an untrusted project."""

    def of(self, scope: str) -> Place | None:
        """Place of a scope; None without a place."""
        return next((place for place in self.places if place.scope.value == scope), None)


def every_place(config: CuratedConfig) -> tuple[Place, ...]:
    """Every existing scope, the global scope first."""
    repositories = dict.fromkeys(config.projects.values())
    return (
        Place(Scope.GLOBAL, config.global_folder, ""),
        *(Place(Scope.PROJECT, repository, MEMORY) for repository in repositories),
    )


class Places:
    """Rule of access to scopes.

    Text written into a scope is read in every window that shows the scope. So a window may write if all readers of
    those windows may read the writing window anyway: no reader learns new text.
    """

    def __init__(self, config: CuratedConfig, readers: KnownReaders) -> None:
        self._config = config
        self._readers = readers
        self._labels: dict[str, str] = {}
        """Window -> label of its audience, from its last turn."""

    def note(self, window: Window, audience: str) -> None:
        """Remember the place of a window, for requests without a place."""
        if audience:
            self._labels[window.address.key] = audience

    def of(self, window: Window) -> WindowPlaces:
        """Scopes of a window."""
        channels = self._channels(window)
        repository = next((self._config.projects[each] for each in channels if each in self._config.projects), None)
        places = [Place(Scope.GLOBAL, self._config.global_folder, "", self._global_denial(window))]
        if repository is not None:
            denial = self._project_denial(window, channels, repository)
            places.append(Place(Scope.PROJECT, repository, MEMORY, denial))
        is_untrusted = repository is None and any(each in self._config.untrusted for each in channels)
        return WindowPlaces(tuple(places), is_untrusted)

    def denial_of(self, place: Place, window_key: str) -> str:
        """Reason why words of the window with this key may not be written there now; empty if allowed."""
        if not window_key:  # the operator's
            return ""
        try:
            window = Window.from_key(window_key)
        except ValueError:
            return _UNKNOWN.format(what=_WHAT[place.scope])
        own = next((each for each in self.of(window).places if each.folder == place.folder), None)
        return "this conversation does not have that project" if own is None else own.denial

    def _channels(self, window: Window) -> tuple[str, ...]:
        """Names under which a project may belong to a window: the window's own, then the channel's."""
        if window.surface is Surface.CLI:
            return (CLI,)
        readers = self._readers.of(window.address.key)
        label = _parse_label(self._labels.get(window.address.key, ""))
        parents = (readers.channel_id if readers else "", label.channel_id if label else "")
        return tuple(dict.fromkeys((window.id, *filter(None, parents))))

    def _global_denial(self, window: Window) -> str:
        denial = self._denial(window, Scope.GLOBAL, self._readers.channels)
        unknown = sorted(channel for channel in self._config.channels if self._of_channel(channel) is None)
        if not denial and unknown and window.surface is not Surface.CLI:
            return f"the readers of channel {unknown[0]}, which shows the global memory, are unknown at the moment"
        own = self._readers.of(window.address.key)
        if not denial and self._config.dms and own is not None and not is_open(own):
            return _NARROW.format(what=_WHAT[Scope.GLOBAL])
        return denial

    def _project_denial(self, window: Window, channels: tuple[str, ...], repository: Path) -> str:
        shown_in = self._config.channels_of(repository) - {CLI}
        if window.surface is Surface.DISCORD_DM and shown_in <= set(channels):
            return ""
        if window.surface is Surface.CLI:
            return ""
        others = {channel: self._of_channel(channel) for channel in shown_in}
        if unknown := sorted(channel for channel, readers in others.items() if readers is None):
            return f"the readers of channel {unknown[0]}, which shows the project's memory, are unknown at the moment"
        return self._denial(window, Scope.PROJECT, [readers for readers in others.values() if readers is not None])

    def _of_channel(self, channel: str) -> Readers | None:
        """Readers of a channel or thread by id."""
        known = (self._readers.of(f"{surface.value}/{channel}") for surface in _CHANNELS)
        own = next((readers for readers in known if readers is not None), None)
        return own or next((each for each in self._readers.channels if each.channel_id == channel), None)

    def _denial(self, window: Window, scope: Scope, others: Iterable[Readers]) -> str:
        """Reason why words of a window may not be shown to all given readers; empty if allowed."""
        if window.surface is Surface.CLI:  # the operator's, who may edit the files by hand as well
            return ""
        own = self._readers.of(window.address.key)
        if window.surface is Surface.DISCORD_DM or (own is not None and own.is_private):
            return _PRIVATE.format(what=_WHAT[scope])
        if own is None:
            return _UNKNOWN.format(what=_WHAT[scope])
        return "" if all(admits(own, other) for other in others) else _NARROW.format(what=_WHAT[scope])


def _parse_label(label: str) -> Audience | None:
    try:
        return Audience.parse(label)
    except ValueError:
        return None
