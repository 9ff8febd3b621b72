"""Program of a local model's server: llama.cpp behind its own HTTP server, on loopback, for the key's owner only.

The order, a line of JSON, comes on stdin, so no other user of the machine can read the key. The answer is a line of
JSON on stdout: the address, or the reason for a failure. The program ends with its parent.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any, NoReturn

from actors.linux.processes import die_with_parent

READY, NOT_INSTALLED, NOT_LOADED = "address", "not_installed", "not_loaded"
"""Keys of the answer."""


def main() -> NoReturn:
    """Serve the model of the order until stdin ends."""
    die_with_parent(int(sys.argv[2]))  # which may be killed at any moment
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is the agent's to act on
    answer, sys.stdout = sys.stdout, sys.stderr
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    name, value, server = _serve(order)
    answer.write(json.dumps({name: value}) + "\n")
    answer.flush()
    if server is not None:
        sys.stdin.read()
    os._exit(0 if server is not None else 1)  # the engine's threads would be waited for


def _serve(order: dict[str, Any]) -> tuple[str, str, object]:
    """(Key of the answer, its value, the server or None)."""
    try:
        import xllamacpp  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        return NOT_INSTALLED, str(error), None
    except ImportError as error:  # a library of the system's that the package does not bring, such as libgomp
        return NOT_LOADED, f"the engine cannot be imported: {error}", None
    try:
        server = xllamacpp.Server(_parameters(xllamacpp, order))
    except (RuntimeError, MemoryError) as error:
        return NOT_LOADED, f"the engine cannot load {order['model']}: {error}", None
    return READY, f"{server.listening_address}/v1", server


def _parameters(library: Any, order: dict[str, Any]) -> Any:
    parameters = library.CommonParams()
    parameters.model.path = order["model"]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [order["key"]]
    parameters.n_parallel = order["at_once"]
    parameters.n_ctx = order["context_tokens"] * order["at_once"]
    parameters.n_predict = order["answer_tokens"]
    parameters.cache_ram_mib = order["cache_mib"]
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.n_threads = order["threads"]
    parameters.use_jinja = True  # else templates drop the tools
    parameters.enable_reasoning = 0  # thoughts cost minutes on a processor, and are not shown
    parameters.ui = parameters.endpoint_slots = parameters.endpoint_props = parameters.warmup = False
    parameters.verbosity = 0  # its log would hold what people wrote
    return parameters


if __name__ == "__main__":
    main()
