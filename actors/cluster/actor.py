"""ClusterActor: reports the hosts, and makes the end of the agent wait for their windows."""

from __future__ import annotations

from actors.kernel import Actor, not_understood
from actors.part import Hosts, HostState
from messages.status import DescribeYourself, SelfDescription


class ClusterActor(Actor):
    """Status of the cluster; the hosts are driven by their own threads, independent of questions.

    Owns: nothing.
    Asks: no actor.
    Crashes on: its own faults.
    """

    def __init__(self, hosts: Hosts) -> None:
        """An actor at rest.

        Args:
            hosts: Hosts of this agent.
        """
        super().__init__()
        self._hosts = hosts

    @property
    def in_progress(self) -> bool:  # type: ignore[override]  # what hosts do is seen at them
        """True if a host has work in hand; a drain waits for this work."""
        return self._hosts.is_busy

    def handle(self, message: DescribeYourself) -> None:
        """Tell how the hosts are."""
        match message:
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message))
            case _:
                not_understood(message)

    def _description(self, request: DescribeYourself) -> SelfDescription:
        states = self._hosts.states()
        running = sum(host.stage == "running" for host in states)
        windows = sum(host.windows for host in states)
        return SelfDescription(
            request_id=request.request_id,
            about=self.address.kind,
            figures=(("hosts", running), ("lost_hosts", self._hosts.lost), ("windows", windows)),
            operator_figures=tuple((host.name, _in_words(host)) for host in states),
        )


def _in_words(host: HostState) -> str:
    counts = f"{host.windows} windows, {host.live} in memory, {host.unhandled} messages unhandled"
    return f"{host.stage}, process {host.pid}: {counts}"
