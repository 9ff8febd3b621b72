"""Memory layer: parts that join from a folder of their own, with a settings table, when `[layers]` says so."""

from __future__ import annotations

from dataclasses import dataclass

from actors.part.part import Row
from actors.settings.table import Table


@dataclass(frozen=True, slots=True)
class Layer:
    """A kind of memory that can be switched on: `[layers] <name> = true`."""

    name: str
    """Also of its settings table."""
    table: type[Table]
    """Its settings, `[<name>]`; every key has a default."""
    rows: tuple[Row, ...]
    """Its parts, in start order. None is core, so each is made by its first message, which may be a turn's question;
    one that crashes too often rests, and a layer's trouble ends no agent."""
    embeds: bool = False
    """True if the layer asks the embedder, which then exists without the memory too."""
