"""Process of one host: parts of the host, made from the same plan as the agent's, and the link to the head."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from actors.bootstrap import agent_plan, discord_connection
from actors.cluster.fence import FencedDisk, LeaseWatchdog, hold_hosts_lock
from actors.cluster.host import HostSystem
from actors.cluster.lease import Lease
from actors.cluster.shared import HOST_KINDS, host_codec
from actors.cluster.storage import new_word, refusal
from actors.cluster.wire import every_message, schema_digest
from actors.context.log.reserve import ReservedDisk
from actors.kernel import ActorSpec, ActorSystem, boot_seconds
from actors.linux.hardening import make_undumpable
from actors.linux.heap import bound_heaps
from actors.part import UnusableError
from actors.parts import parts, settings_tables
from actors.settings.layers import with_tables
from actors.settings.schema import Origin, Settings
from messages.base import CONTEXT_KIND, make_ready
from messages.status import ActorGaveUp

log = logging.getLogger(__name__)

EXIT_GAVE_UP = 70
STOP_S = 1.0


class HostConfig(msgspec.Struct, frozen=True):
    """Start parameters of a host."""

    settings: str
    """The operator's decisions, as JSON."""
    file: str
    folder: str
    """Origin of the settings; `file` is empty without a file."""
    secrets: dict[str, str]
    """Provider keys, without the bot's token."""
    count: int
    """Number of hosts."""
    level: int
    """Log level."""
    schema: str
    """Digest of the messages' schema, equal on both sides."""
    word: str
    """Name of the head's run, from the head's storage."""

    @classmethod
    def of(cls, settings: Settings, secrets: Mapping[str, str], count: int, level: int) -> HostConfig:
        """Start parameters of the hosts of an agent with these settings."""
        origin = settings.origin
        return cls(
            settings=settings.model_dump_json(),
            file="" if origin.file is None else str(origin.file),
            folder=str(origin.folder),
            secrets=dict(secrets),
            count=count,
            level=level,
            schema=schema_digest(every_message()),
            word=new_word(),
        )

    def to_bytes(self) -> bytes:
        """Encoded form, for `HostProcess.begin`."""
        return msgspec.msgpack.encode(self)

    def unpacked_settings(self) -> Settings:
        """The settings again."""
        settings = with_tables(settings_tables()).model_validate_json(self.settings)
        origin = Origin(file=Path(self.file) if self.file else None, folder=Path(self.folder))
        return settings.with_root(settings.data_root, origin)


class HostProcess:
    """Host in a process of its own; Ray makes an actor of the class."""

    def __init__(self) -> None:
        """Start no actor yet."""
        self._host: HostSystem | None = None
        self._watchdog: LeaseWatchdog | None = None

    def begin(self, packed: bytes, name: str, epoch: str) -> str:
        """Start the actors; the reason of a failure, empty when the actors run."""
        config = msgspec.msgpack.decode(packed, type=HostConfig)
        if config.schema != schema_digest(every_message()):
            return f"host {name}: its program is of another version than the head's"
        bound_heaps()
        make_undumpable()
        settings = config.unpacked_settings()
        root = settings.data_root
        if reason := refusal(root, config.word):
            return f"host {name}: {reason}"
        try:
            self._lock = hold_hosts_lock(root)
        except OSError as error:
            return f"host {name}: {root} cannot be locked: {error.strerror}"
        lease = Lease(boot_seconds)
        system = ActorSystem(on_escalation=_end, on_dead_letter=lambda letter: host.settle_dead(letter))
        host = self._host = HostSystem(system, host_codec(name), lease, epoch)
        _log_to(host, config.level)
        try:
            for spec in _specs(config, settings, name, system, lease):
                system.register(host.wrap_spec(spec) if spec.kind == CONTEXT_KIND else spec)
        except UnusableError as error:
            return str(error)
        self._watchdog = LeaseWatchdog(lease)
        self._watchdog.start()
        system.start()
        return ""

    def exchange(self, frame: bytes, wait_s: float) -> bytes:
        """Carry a frame here and return a frame."""
        assert self._host is not None
        return self._host.exchange(frame, wait_s)

    def end(self) -> None:
        """Stop the actors; work in hand is in the logs."""
        if self._host is not None:
            self._host.system.stop(STOP_S)


def _specs(
    config: HostConfig, settings: Settings, name: str, system: ActorSystem, lease: Lease
) -> tuple[ActorSpec, ...]:
    """The actors of a host, in start order."""
    plan = replace(
        agent_plan(settings, config.secrets, system, discord_connection(settings, "")),
        host=name,
        shares=config.count,
        log_disk=FencedDisk(ReservedDisk(settings.data_root), lease),
    )
    here = [part for part in parts(plan) if part.spec.kind in HOST_KINDS]
    if problems := [part.unusable for part in here if part.unusable]:
        raise UnusableError("\n".join(problems))
    return tuple(part.spec for part in here)


def _end(event: ActorGaveUp) -> None:
    """End the host after an actor gave up; the host's windows go elsewhere."""
    log.error("%s crashed %d times within %g s", event.address, event.crashes, event.within_s)
    os._exit(EXIT_GAVE_UP)


class _ToHead(logging.Handler):
    """Handler that sends log lines to the head's log; Ray's files get no lines."""

    def __init__(self, host: HostSystem) -> None:
        super().__init__()
        self._host = host

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a line on."""
        try:
            self._host.report(record.levelno, record.name, self.format(record))
        except Exception:  # noqa: BLE001 - as every handler of logging's
            self.handleError(record)


def _log_to(host: HostSystem, level: int) -> None:
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[_ToHead(host)], force=True)
    logging.getLogger("actors").setLevel(level)


make_ready(__name__)
