"""Pool of hosts on Ray; the only module that imports Ray, and only on demand.

Ray starts processes, carries calls and says when a process has ended. Ray leaves no traces: its usage statistics,
dashboard and metrics are off, values are never spilled to the disk, and Ray's folder for sockets and logs is removed at
the end and, after a kill, at the next start. Ray's processes are watched, because Ray repairs itself by ending its
users.
"""

from __future__ import annotations

import atexit
import logging
import os
import signal
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from actors.cluster.pool import HostGoneError, HostSlowError, PoolError
from actors.cluster.ray_folder import RayFolder
from actors.cluster.storage import Note, write_note
from actors.cluster.watch import CallWatch, Process, ProcessWatch, Watch

log = logging.getLogger(__name__)

NO_RAY = "--hosts needs Ray, which is not installed: pip install 'ray>=2.53,<3' (the extra `cluster`)"
LOOPBACK = "127.0.0.1"
OBJECT_STORE_BYTES = 80 << 20
"""Bytes of shared memory, used only for values beyond 100 KB: the least that Ray takes."""
CALLS_AT_ONCE = 4
"""Most calls at a time: a pushing call, a waiting call, and for each an abandoned call that is still under way."""
LOOPBACK_ONLY = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""With 0 Ray listens on 127.0.0.1 only, on any system; there is no other way. Read at Ray's import."""
_VITAL = ("gcs_server", "raylet")
"""Processes of Ray without which no host starts; Ray restarts the rest itself, or can do without."""
CLOSE_S = 5.0
"""For Ray's own shutdown, which would wait for ever for a dead part."""
_GONE_S = 1.0
"""The same if a part of Ray is known to be dead."""
_OURS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SETTINGS = MappingProxyType(
    {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_enable_metrics_collection": "false",
        "RAY_enable_open_telemetry": "false",
        "RAY_ROTATION_MAX_BYTES": str(1 << 20),
        "RAY_ROTATION_BACKUP_COUNT": "1",
        "RAY_DEDUP_LOGS": "0",
        "RAY_ENABLE_AUTO_CONNECT": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_memory_monitor_refresh_ms": "0",
        "RAY_gcs_rpc_server_reconnect_timeout_s": "1000000",  # then it ends this process, in the midst
        "no_grpc_proxy": "localhost,127.0.0.1",
    }
)


def missing() -> str:
    """Reason why the pool is unavailable, with the missing packages; empty if Ray is installed."""
    return "" if find_spec("ray") else NO_RAY


class HostClass(Protocol):
    """Class run by Ray: each object is made in a separate process."""

    def __call__(self) -> Any:
        """Make a host without starting its actors."""


class RayPool:
    """Hosts as actors of a Ray cluster: an own cluster on this machine or an existing cluster."""

    def __init__(self, host: HostClass, config: bytes, folder: RayFolder, address: str = "", word: str = "") -> None:
        """Begin without a running Ray.

        Args:
            host: Its `begin(config, name, epoch)`, `exchange(frame, wait_s)` and `end()` are called.
            config: Argument for the start of each host.
            folder: Folder of Ray's files, by the data root that this process holds.
            address: `auto` or `ray://host:port` for an existing cluster; empty for a cluster on this machine.
            word: Word of this run; hosts look for this word in the data root.
        """
        self._host, self._config, self._address = host, config, address
        self._folder, self._word = folder, word
        self._watch: Watch = ProcessWatch({})
        self._ray: Any = None
        self._actor: Any = None

    def open(self) -> None:
        """Start Ray, or join a cluster.

        Raises:
            PoolError: Ray is not installed, cannot be started or joined, or has no place for its files.
        """
        os.environ.update(SETTINGS)
        self._make_place()
        try:
            import ray
            from ray.job_config import JobConfig
        except ImportError as error:
            raise PoolError(NO_RAY) from error
        job = JobConfig(code_search_path=[str(Path(__file__).resolve().parents[2])])
        handlers = {number: signal.getsignal(number) for number in _OURS}
        try:
            ray.init(**self._arguments(), log_to_driver=False, logging_level=logging.ERROR, job_config=job)
        except (ConnectionError, OSError, RuntimeError, ValueError, TimeoutError) as error:
            where = f"the Ray cluster at {self._address} cannot be joined" if self._address else "Ray cannot be started"
            raise PoolError(f"{where}: {error}") from error
        finally:
            # Ray takes signals for itself, and ends the process without a word.
            for number, handler in handlers.items():
                signal.signal(number, handler)
        self._ray = ray
        self._watch = ProcessWatch(children) if (children := _children(ray)) else CallWatch(_heartbeat(ray))
        share = 1 if self._address else 0
        remote_class: Any = ray.remote(num_cpus=share, max_restarts=0, max_task_retries=0)
        self._actor = remote_class(self._host).options(max_concurrency=CALLS_AT_ONCE, scheduling_strategy="SPREAD")

    def _make_place(self) -> None:
        """Make and note the folder of an own Ray; the folder of an earlier run is removed.

        Raises:
            PoolError: the folder cannot be made.
        """
        try:
            self._folder.remove_leftovers()
            if not self._address:
                os.environ[LOOPBACK_ONLY] = "0"
                self._folder.make()
            write_note(self._folder.data_root, Note(self._word, str(self._folder.path or "")))
        except OSError as error:
            self._folder.remove()
            raise PoolError(f"no place for the hosts' files: {error}") from error

    def _arguments(self) -> dict[str, Any]:
        """Arguments of `ray.init` to join a cluster, or to make a cluster on loopback."""
        if self._address:
            return {"address": self._address}
        return {
            "address": "local",
            "include_dashboard": False,
            "num_cpus": 1,
            "num_gpus": 0,
            "object_store_memory": OBJECT_STORE_BYTES,
            "_node_ip_address": LOOPBACK,
            "_temp_dir": f"{self._folder.path}/r",
            "_system_config": {"automatic_object_spilling_enabled": False},
        }

    def start(self, name: str) -> RayHost:
        """A process for a host, on whichever machine Ray chooses, spread over all.

        Raises:
            PoolError: Ray refuses.
        """
        try:
            handle = self._actor.remote()
        except (self._ray.exceptions.RayError, RuntimeError, ValueError) as error:
            raise PoolError(f"Ray starts no process for host {name}: {error}") from error
        return RayHost(self._ray, handle, self._config)

    def trouble(self) -> str:
        """Name of the missing part of Ray; empty if all parts run."""
        return self._watch.trouble()

    def close(self) -> None:
        """End Ray, or leave the cluster; processes that do not end by themselves are killed."""
        ray, self._ray = self._ray, None
        if ray is not None:
            end_ray(ray, _GONE_S if self.trouble() else CLOSE_S)
        self._folder.remove()


def end_ray(ray: Any, wait_s: float = CLOSE_S) -> None:
    """Shut Ray down, and kill all of its processes here that do not end within `wait_s` seconds."""
    children = _children(ray)
    shutdown = threading.Thread(target=ray.shutdown, name="ray shutdown", daemon=True)
    shutdown.start()
    shutdown.join(wait_s)
    if shutdown.is_alive():
        log.warning("Ray does not end by itself: its processes on this machine are killed")
        atexit.unregister(ray.shutdown)  # or the end of this process waits for it again
    for child in children.values():
        if child.poll() is None:
            os.kill(child.pid, signal.SIGKILL)


def _children(ray: Any) -> dict[str, Process]:
    """Processes that Ray started here; empty for a joined existing cluster."""
    node = getattr(ray._private.worker, "_global_node", None)
    started: dict[str, Any] = getattr(node, "all_processes", {})
    return {name: info.process for name in _VITAL for info in started.get(name, ())}


def _heartbeat(ray: Any) -> Callable[[], str]:
    """Heartbeat call to a joined cluster."""
    here = ray.get_runtime_context().get_node_id()

    def beat() -> str:
        nodes = {node["NodeID"]: node["Alive"] for node in ray.nodes()}
        return "" if nodes.get(here, True) else "the Ray node that this machine has in the cluster is gone"

    return beat


class RayHost:
    """Process of a host."""

    def __init__(self, ray: Any, handle: Any, config: bytes) -> None:
        """Create the handle of a starting process.

        Args:
            ray: The module.
            handle: Ray's handle of the actor.
            config: Configuration for the start.
        """
        self._ray, self._handle, self._config = ray, handle, config

    def begin(self, name: str, epoch: str, timeout_s: float) -> None:
        """Start the host's actors.

        Raises:
            HostGoneError, HostSlowError, PoolError: as `RemoteHost`.
        """
        refusal = self._result(self._handle.begin.remote(self._config, name, epoch), timeout_s)
        if refusal:
            raise PoolError(refusal)

    def exchange(self, frame: bytes, wait_s: float, timeout_s: float) -> bytes:
        """Carry a frame there and another back.

        Raises:
            HostGoneError, HostSlowError: as `RemoteHost`.
        """
        answer: bytes = self._result(self._handle.exchange.remote(frame, wait_s), timeout_s)
        return answer

    def end(self, timeout_s: float) -> None:
        """Have the host close its open resources, then end the host."""
        try:
            self._result(self._handle.end.remote(), timeout_s)
        except (HostGoneError, HostSlowError) as error:
            log.info("a host ended without a word: %s", error)
        self.kill()

    def kill(self) -> None:
        """End the host at once, if Ray can reach it."""
        try:
            self._ray.kill(self._handle, no_restart=True)
        except Exception as error:  # noqa: BLE001 - whatever Ray says: it is gone, or its lease ends it
            log.info("a host cannot be killed: %s", error)

    def _result(self, reference: Any, timeout_s: float) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference, timeout=timeout_s)
        except errors.GetTimeoutError as error:
            raise HostSlowError(f"no answer within {timeout_s:g} s") from error
        except errors.RayTaskError as error:
            raise HostSlowError(f"it failed: {error.cause!r}") from error
        except errors.RayActorError as error:
            raise HostGoneError("its process ended") from error
        except errors.RayError as error:
            raise HostSlowError(f"Ray: {type(error).__name__}") from error
