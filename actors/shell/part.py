"""Row of the shell in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan
from actors.shell.checks import findings
from actors.shell.commands import COMMANDS
from actors.shell.sandbox.choice import Found
from domain.policy.approval import APPROVED_ANSWER_S, Approve
from messages.base import RequestId
from messages.shell import SHELL, RunBash
from messages.socket import SOCKET


def row(plan: Plan, parts: Parts) -> Part:
    """The only actor that starts processes."""
    shell = plan.settings.shell
    found = Found()
    unapproved: dict[RequestId, RunBash] = {}

    def build(_key: str) -> Actor:
        from actors.shell.actor import ShellActor
        from actors.shell.config import ShellConfig
        from actors.shell.sandbox.caller_folder import CallerFolder

        config = ShellConfig(
            work_root=plan.work,
            data_root=plan.settings.data_root,
            cli_workdir=plan.caller_folder,
            caller=CallerFolder(may_write=plan.caller_lets_write, private=plan.private, unchanging=plan.unchanging),
            enabled=shell.enabled,
            default_timeout_s=shell.timeout_s,
            max_timeout_s=shell.max_timeout_s,
            commands_at_once=shell.concurrency,
            sandbox=shell.sandbox,
            network=shell.network,
            scope=plan.settings.memory.scope,
            skill_roots=plan.visible_skills(parts.skills),
            door=SOCKET,
            asks_first=plan.asks_before_commands,
            answer_s=0.0 if plan.approve is Approve.NEVER else APPROVED_ANSWER_S,
        )
        return ShellActor(config, found=found, unapproved=unapproved)

    return Part(
        spec=ActorSpec(SHELL.kind, build, core=True),
        commands=COMMANDS,
        checks=(lambda: findings(shell),),
    )
