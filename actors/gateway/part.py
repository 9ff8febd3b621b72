"""Row of the gateway, for the layer of facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from actors.gateway.config import GatewayTable, config_of, problem_of
from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Level, Part, Parts, Plan, Row
from messages.facts import GATEWAY


def gateway_row(table_of: Callable[[Plan], GatewayTable]) -> Row:
    """Row of the only actor that serves HTTP; None for the one turn of a command line.

    Args:
        table_of: The layer's settings.
    """

    def row(plan: Plan, _parts: Parts) -> Part | None:
        if not plan.lives:
            return None

        def build(_key: str) -> Actor:
            from actors.gateway.actor import GatewayActor
            from actors.gateway.own_key import own_key

            table = table_of(plan)
            own = own_key(plan.settings.data_root, table.gateway_address, has_keys=bool(table.keys))
            config = config_of(table, plan.secrets, own.key if own is not None else "")
            if plan.connection is None and plan.on_online is not None:
                return GatewayActor(config, plan.on_online)
            return GatewayActor(config)

        return Part(
            spec=ActorSpec(GATEWAY.kind, build, is_eager=True, is_made_up_for=True),
            unusable=problem_of(table_of(plan), plan.secrets),
            says_unusable=True,
            checks=(lambda: _look(plan, table_of(plan)),),
        )

    return row


def _look(plan: Plan, table: GatewayTable) -> Iterator[Finding]:
    if problem := problem_of(table, plan.secrets):
        yield Finding("gateway", Level.FAIL, problem)
        return
    place = f"http://{table.gateway_address}:{table.gateway_port} in front of {table.openai_base_url}"
    yield Finding("gateway", Level.OK, f"{place}; keys: {len(table.keys) or 'none'}")
