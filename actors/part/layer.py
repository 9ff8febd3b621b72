"""Memory layer: parts from a separate folder, with a settings table, switched on in `[layers]`."""

from __future__ import annotations

from dataclasses import dataclass

from actors.part.part import Row
from actors.settings.table import Table


@dataclass(frozen=True, slots=True)
class Layer:
    """Kind of memory that can be switched on: `[layers] <name> = true`."""

    name: str
    """Name of the layer, and also of the settings table."""
    table: type[Table]
    """The layer's settings, `[<name>]`; every key has a default."""
    rows: tuple[Row, ...]
    """The layer's parts, in start order. No part is core, so a first message makes each part, perhaps a turn's
    question. A part that crashes too often rests, and a layer's trouble ends no agent."""
    embeds: bool = False
    """True if the layer asks the embedder, so the embedder exists even without the memory."""
