"""Row of the windows' objects, with all its imports; loaded only with the layer switched on."""

from __future__ import annotations

from functools import cache

from actors.kernel import Actor, ActorSpec
from actors.objects.config import ObjectsConfig
from actors.objects.table import ObjectsTable
from actors.objects.words import COLLECTED, HISTORY, LISTED
from actors.part import SHIPPED_SKILLS, Part, Plan, Verb
from domain.objects.ageing import Keep
from domain.turn.prompt import OBJECTS_PREFIX
from messages.base import Window
from messages.objects import (
    OBJECT_STORE,
    OBJECTS_KIND,
    CollectObjects,
    DiffObject,
    ListObjects,
    ReadObject,
    ShowObject,
    SwitchObject,
    TellHistory,
    objects_of,
)

IDLE_S = 60.0
"""A window without a request for so long leaves memory; the store has its state."""
VERBS = {
    "objects.read": Verb(objects_of, ReadObject),
    "objects.switch": Verb(objects_of, SwitchObject),
    "objects.list": Verb(objects_of, ListObjects, words=LISTED),
    "objects.history": Verb(objects_of, TellHistory, words=HISTORY),
    "objects.show": Verb(objects_of, ShowObject),
    "objects.diff": Verb(objects_of, DiffObject),
}
COLLECTING_S = 600.0
STORE_VERBS = {"objects.gc": Verb(OBJECT_STORE, CollectObjects, answer_s=COLLECTING_S, words=COLLECTED)}


def objects_part(plan: Plan) -> Part:
    """The actors that word the output of their windows' commands, an actor per window."""
    keep = keep_of(plan)

    @cache
    def config() -> ObjectsConfig:
        return objects_config(plan)

    def build(key: str) -> Actor:
        from actors.objects.actor import ObjectsActor

        return ObjectsActor(Window.from_key(key), config())

    can_run = plan.settings.shell.enabled
    return Part(
        spec=ActorSpec(OBJECTS_KIND, build, idle_s=IDLE_S if plan.lives else None, is_made_up_for=True),
        describes=False,
        explains=(OBJECTS_PREFIX,),
        words=objects_of,
        words_tokens=keep.active_tokens + keep.linger_tokens,
        verbs={**VERBS},
        skills=(SHIPPED_SKILLS / "context-objects",) if can_run else (),
    )


def objects_config(plan: Plan) -> ObjectsConfig:
    """Configuration by the settings."""
    return ObjectsConfig(
        folder_of=plan.workdir_of,
        data_root=plan.settings.data_root if plan.lives else None,
        keep=keep_of(plan),
        max_files=plan.settings.table(ObjectsTable).max_files,
    )


def keep_of(plan: Plan) -> Keep:
    """Amounts shown in requests: the configured amounts, limited by the room of a model's request."""
    table, room = plan.settings.table(ObjectsTable), plan.settings.model.max_history_tokens
    return Keep(
        results=table.keep_results,
        turns=table.keep_turns,
        active_tokens=min(table.active_tokens, room * 3 // 10),
        pinned_tokens=min(table.pinned_tokens, room * 2 // 10),
        linger_tokens=min(table.linger_tokens, room * 3 // 20),
        big_tokens=table.big_tokens,
    )
