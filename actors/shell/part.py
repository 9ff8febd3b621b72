"""Row of the shell in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import Answer, Command, Part, Parts, Plan
from actors.shell.checks import findings
from actors.shell.sandbox.choice import SandboxFindings
from domain.policy.approval import APPROVED_ANSWER_S, Approve
from messages.base import RequestId
from messages.shell import SHELL, EmptyFolder, FolderEmptied, RunBash
from messages.socket import SOCKET

EMPTY = Command(
    name="empty",
    description="Delete this conversation's working folder and kept output; attachments and logs stay",
    to=SHELL,
    request=lambda call, _: EmptyFolder(request_id=call.request_id, reply_to=call.reply_to, window=call.window),
    reply=FolderEmptied,
    answer=lambda _reply, _wording: Answer("The working folder is empty."),
    refused="Not emptied",
)
"""Command to empty a window's working folder, even a folder too full for any command."""


def row(plan: Plan, parts: Parts) -> Part:
    """The only actor that starts processes."""
    shell = plan.settings.shell
    known = SandboxFindings()
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
        return ShellActor(config, findings=known, unapproved=unapproved)

    return Part(
        spec=ActorSpec(SHELL.kind, build, core=True),
        commands=(EMPTY,),
        checks=(lambda: findings(shell),),
    )
