"""Table of parts: all actors, in start order; no other module knows all parts.

A new kind of memory is a folder with a `Layer`, a module in `messages/`, and a line in `LAYERS`. bootstrap,
`agent-cli`, the sockets, `/status`, `/help`, `agent doctor` and the settings fold over this table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from actors.approval.part import row as approval
from actors.cluster.part import row as cluster
from actors.context.part import row as context
from actors.curated.part import LAYER as CURATED
from actors.discord.part import row as discord
from actors.embedder.part import row as embedder
from actors.facts.part import INNER_ROWS as FACTS_INNER_ROWS
from actors.facts.part import LAYER as FACTS
from actors.feed.part import row as feed
from actors.forget.part import files_row as window_files
from actors.forget.part import row as forget
from actors.importer.part import row as importer
from actors.ledger.part import row as ledger
from actors.local_model.part import row as local_model
from actors.mcp.part import row as mcp
from actors.memory.part import row as memory
from actors.model.part import row as model
from actors.objects.part import LAYER as OBJECTS
from actors.observer.part import row as observer
from actors.observer.part import traces_row as traces
from actors.part import Layer, Part, Parts, Plan, Row, Table
from actors.scheduler.part import row as scheduler
from actors.shell.part import row as shell
from actors.skills.part import row as skills
from actors.socket.part import row as socket
from actors.transcribe.part import row as transcribe
from actors.web.part import row as web
from actors.workspace.part import LAYER as WORKSPACE

LAYERS: tuple[Layer, ...] = (WORKSPACE, CURATED, OBJECTS, FACTS)
"""Kinds of memory that `[layers]` can switch on, in the order of contributions to a turn."""

BEFORE_LAYERS: tuple[Row, ...] = (ledger, local_model, model, web, mcp, transcribe, embedder, memory, skills)
"""Skills before the layers, so the layers' share of the system prompt, with more frequent changes, comes last."""
BEHIND_LAYERS: tuple[Row, ...] = (
    scheduler,
    feed,
    socket,
    observer,
    traces,
    approval,
    shell,
    context,
    window_files,
    forget,
    cluster,
    importer,
    discord,
)
"""Sockets before the shell, since the shell asks for sockets; Discord last, so messages find all other actors."""


def settings_tables(layers: Iterable[Layer] = LAYERS) -> dict[str, type[Table]]:
    """Layer -> its settings table, for `actors.settings.load`.

    Raises:
        ValueError: two layers have the same name.
    """
    tables: dict[str, type[Table]] = {}
    for layer in layers:
        if layer.name in tables:
            raise ValueError(f"layer {layer.name!r}: two layers have that name")
        tables[layer.name] = layer.table
    return tables


def parts(plan: Plan, layers: Iterable[Layer] = LAYERS) -> Parts:
    """The agent's parts.

    Args:
        plan: Plan of the agent.
        layers: Kinds of memory; only layers switched on in the settings take part.

    Raises:
        ValueError: two parts claim the same name, a command cannot be offered, or a layer has a core actor.
    """
    on = [layer for layer in layers if plan.settings.has_layer(layer.name)]
    rows = (_not_core(row, layer) for layer in on for row in layer.rows)
    plan = replace(plan, embeds=any(layer.embeds for layer in on))
    return Parts(plan, (*BEFORE_LAYERS, *rows, *BEHIND_LAYERS))


def gateway_parts(plan: Plan) -> Parts:
    """Parts of a standalone gateway, without Discord: the facts layer, its models, and the operator's socket.

    Args:
        plan: Plan of the agent, with the layer switched on in its settings.

    Raises:
        ValueError: two parts claim the same name.
    """
    return Parts(plan, (ledger, local_model, model, *(_not_core(row, FACTS) for row in FACTS.rows), socket))


def facts_alone(plan: Plan) -> Parts:
    """Parts for a command's look into the facts while no agent runs: the parts that keep and find facts.

    Args:
        plan: Plan of the agent, with the layer switched on in its settings.
    """
    return Parts(plan, FACTS_INNER_ROWS)


def _not_core(row: Row, layer: Layer) -> Row:
    """A layer's row, guarded against an actor whose crashes would end the agent."""

    def check_row(plan: Plan, parts: Parts) -> Part | None:
        part = row(plan, parts)
        if part is not None and part.spec.core:
            raise ValueError(f"actor {part.spec.kind!r} of layer {layer.name!r}: must not be core")
        return part

    return check_row
