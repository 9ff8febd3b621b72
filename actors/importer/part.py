"""Row of the importer in the table of parts."""

from __future__ import annotations

from actors.importer.commands import COMMANDS, EXPORTED, PROGRESS
from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan, Verb
from domain.policy.channel_rules import ChannelRules
from messages.past import IMPORTER, DescribeImport, ImportExport, StartImport, StopImport

EXPORT_S = 86_400.0
VERBS = {
    "import.discord": Verb(IMPORTER, StartImport, words=PROGRESS),
    "import.stop": Verb(IMPORTER, StopImport, words=PROGRESS),
    "import.status": Verb(IMPORTER, DescribeImport, words=PROGRESS),
    "import.export": Verb(IMPORTER, ImportExport, answer_s=EXPORT_S, words=EXPORTED),
}


def row(plan: Plan, _parts: Parts) -> Part | None:
    """The single actor that imports the past; absent from a command line's turn and from a host."""
    if not plan.lives or plan.host or plan.connection is None:
        return None

    def build(_key: str) -> Actor:
        from actors.importer.actor import ImporterActor

        return ImporterActor(
            plan.settings.data_root,
            plan.surface,
            has_memory=plan.settings.memory.enabled,
            rules=ChannelRules({key: table.rule for key, table in plan.settings.channels.items()}),
        )

    return Part(
        spec=ActorSpec(IMPORTER.kind, build, is_eager=True, is_made_up_for=True),
        describes=False,
        operator_verbs={**VERBS},
        commands=COMMANDS,
    )
