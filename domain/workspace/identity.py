"""Identity: the content of people's files for the agent, and the places of all files of a workspace."""

from __future__ import annotations

from dataclasses import dataclass

from messages.turn import Store

SOUL_CHARS = 8_000
AGENTS_CHARS = 16_000

AGENT, RUNTIME, PEOPLE = "agent", "runtime", "people"
"""Keepers of stores."""


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of a window's files; absolute paths."""

    root: str
    """People's."""
    folder: str
    """The window's own folder; empty for a window without stored files."""


def identity(soul: str, agents: str, places: Places) -> str:
    """Text of people's files for the agent, in all requests of one log.

    Args:
        soul: Text of SOUL.md.
        agents: Text of AGENTS.md.
        places: Of the files.
    """
    parts = [
        _section("SOUL.md", soul, SOUL_CHARS, f"{places.root}/SOUL.md"),
        _section("AGENTS.md", agents, AGENTS_CHARS, f"{places.root}/AGENTS.md"),
    ]
    return "\n\n".join(part for part in parts if part)


def stores(places: Places, *, keeps_session: bool, keeps_history: bool) -> tuple[Store, ...]:
    """Files of a workspace, each with its content and its keeper.

    Args:
        places: Places of the files.
        keeps_session: True if the runtime keeps SESSION.md, by asking a model.
        keeps_history: True if the runtime keeps HISTORY.md, likewise.
    """
    root, folder = places.root, places.folder
    state = "what is being worked on here"
    state += "" if keeps_session else "; keep it short and up to date, nobody else writes it"
    notes = "lasting facts, preferences, decisions and constraints of this conversation alone"
    character = "who you are and how you work, as it stood when this conversation began"
    own = (
        Store(path=f"{folder}/SESSION.md", holds=state, keeper=_keeper(keeps_session, AGENT)),
        Store(name="notes", path=f"{folder}/MEMORY.md", holds=notes, keeper=AGENT),
        Store(
            path=f"{folder}/HISTORY.md",
            holds="earlier times, in short",
            keeper=_keeper(keeps_history, PEOPLE),
        ),
    )
    return (
        *(own if folder else ()),
        Store(name="background", path=f"{root}/MEMORY.md", holds="what all conversations share"),
        Store(path=f"{root}/SOUL.md and AGENTS.md", holds=character),
    )


def _keeper(is_runtime: bool, otherwise: str) -> str:
    return RUNTIME if is_runtime else otherwise


def _section(name: str, text: str, most: int, path: str) -> str:
    whole = text.strip()
    if not whole:
        return ""
    beginning = whole
    if len(whole) > most:
        cut = whole[:most]
        beginning = f"{cut[: cut.rfind(chr(10))] if chr(10) in cut else cut}\n(cut here: all of it is in {path})"
    return f"{name}\n{beginning}"
