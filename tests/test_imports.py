"""Rules that the import contracts in setup.cfg cannot express: allow-lists, calls, sizes."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("actors", "domain", "lab", "messages")

CLOCKS = (
    "time.time*",
    "time.monotonic*",
    "time.perf_counter*",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
)
CHANCE = ("random.*", "uuid.*", "secrets.*")
SLEEPS = ("time.sleep",)
PROGRAMS = (
    "os.system",
    "os.popen",
    "os.fork*",
    "os.exec*",
    "os.spawn*",
    "os.posix_spawn*",
    "asyncio.create_subprocess_*",
    "subprocess.*",
    "multiprocessing.*",
    "pty.*",
)
HIDDEN_IMPORTS = ("importlib.import_module", "builtins.__import__", "builtins.exec", "builtins.eval")
FILES = ("builtins.open", "builtins.print", "builtins.input", "pathlib.Path", "pathlib.PosixPath", "io.open")
MOCKS = ("unittest.mock*", "mock.*", "pytest_mock.*")

ALLOWED = {
    ("actors/cli/trying/bot.py", "subprocess.*"): "has the bot in a process of its own, which can be killed",
    ("lab/load/agent_process.py", "subprocess.*"): "measures the agent in a process of its own, so it starts one",
    ("lab/bench/process.py", "subprocess.*"): "measures each system in a process of its own, so it starts them",
    ("lab/bench/durable/peer_steps.py", "subprocess.*"): "runs the command of a peer, in the peer's environment",
    ("lab/chaos/kills/nursery.py", "subprocess.*"): "kills the agent in a process of its own, so it starts one",
    ("lab/chaos/kills/small_disk.py", "subprocess.*"): "mounts a file system that can be filled without harm",
    ("lab/chaos/kills/program.py", "os.fork*"): "starts a thousand agents from one that has imported everything",
    ("lab/chaos/kills/program.py", "os.exec*"): "starts some of them anew, as an operator does",
    ("lab/", "time.perf_counter*"): "measures how long things take, in threads and processes of its own",
    ("lab/", "random.*"): "makes what it measures, and its trouble, from a seed, the same each time",
    ("lab/", "multiprocessing.*"): "measures the bot in a process of its own",
    ("actors/shell/sandbox/", "time.monotonic*"): "runs beside the agent, in a process without a kernel",
    ("actors/facts/store/git.py", "asyncio.create_subprocess_*"): "commits by the machine's own git, on its own loop",
    ("actors/local_model/engine.py", "asyncio.create_subprocess_*"): "has the engine in a process that it can end",
    ("actors/model/routes.py", "asyncio.create_subprocess_*"): "asks litellm beside the agent, which need not hold it",
    (
        "actors/socket/doors.py",
        "secrets.*",
    ): "names of sockets and the operator's key must not be guessed; the kernel's ids can be foretold",
    ("lab/bench/escapes/", "secrets.*"): "makes the secret that attempts look for, which none may foresee",
    ("lab/loopback_model/", "secrets.*"): "its address must not be guessed by other users of the machine",
    ("lab/loopback_speech/", "secrets.*"): "its address must not be guessed by other users of the machine",
    ("lab/playground/", "secrets.*"): "stands for Discord itself, whose tokens and session ids nobody can foresee",
}
"""(file or folder, pattern) -> why it may. Everything that is not an entry here is refused."""


def python_files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


@dataclass(frozen=True, slots=True)
class Source:
    """Facts of a file for these tests: a hundredth of the size of the parsed trees of all files, half a gigabyte."""

    modules: frozenset[str]
    """Modules that the file imports, or imports from."""
    names: frozenset[str]
    """Dotted names of what it imports and uses of it, through whatever alias, and of the builtins it uses.

    A module that is imported ends in a dot, so that `random.*` means it and all of it.
    """
    calls: tuple[tuple[str, int, int], ...]
    """(method, line, arguments) of every `something.method(...)`."""
    functions: tuple[tuple[str, int], ...]
    """(name, lines after the first)."""
    constructors: tuple[tuple[str, int], ...]
    """(class, parameters of its constructor, without `self`)."""


def read(text: str) -> Source:
    nodes = list(ast.walk(ast.parse(text)))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    modules = imported_modules(nodes)
    return Source(
        modules,
        references(nodes, modules),
        tuple(
            (call.func.attr, call.lineno, len(call.args) + len(call.keywords))
            for call in calls
            if isinstance(call.func, ast.Attribute)
        ),
        tuple((function.name, (function.end_lineno or 0) - function.lineno) for function in functions),
        tuple(
            (owner.name, len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs) - 1)
            for owner in nodes
            if isinstance(owner, ast.ClassDef)
            for node in owner.body
            if isinstance(node, ast.FunctionDef) and node.name == "__init__"
        ),
    )


@cache
def source_of(path: Path) -> Source:
    """Read once, though many tests look into it."""
    return read(path.read_text())


def dotted_names(node: ast.Name | ast.Attribute) -> tuple[str, ...]:
    """`a.b.c` as a tuple of names; empty for an expression such as `f().b`."""
    names: list[str] = []
    part: ast.expr = node
    while isinstance(part, ast.Attribute):
        names.append(part.attr)
        part = part.value
    return (part.id, *reversed(names)) if isinstance(part, ast.Name) else ()


def names_imported_by(nodes: list[ast.AST]) -> dict[str, str]:
    """Local name -> dotted name of what is imported under it, anywhere in the file."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def imported_modules(nodes: list[ast.AST]) -> frozenset[str]:
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    parts = {node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)}
    return frozenset(whole | parts)


def references(nodes: list[ast.AST], modules: frozenset[str]) -> frozenset[str]:
    names = names_imported_by(nodes)
    used = {f"{module}." for module in modules} | set(names.values())
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and (names_of := dotted_names(node)):
            head, *rest = names_of
            if head in names:
                used.add(".".join([names[head], *rest]))
            elif not rest and hasattr(builtins, head):
                used.add(f"builtins.{head}")
    return frozenset(used)


def is_allowed(file: str, pattern: str) -> bool:
    return any(file.startswith(place) and pattern == what for place, what in ALLOWED)


def offenders(patterns: tuple[str, ...], *folders: str, except_in: tuple[str, ...] = ()) -> list[str]:
    """`file: name` for every reference in `folders` that fits one of `patterns`."""
    breaches: set[str] = set()
    for path in python_files(*folders):
        file = path.relative_to(ROOT).as_posix()
        if file.startswith(except_in):
            continue
        for name in source_of(path).names:
            breaches |= {f"{file}: {name}" for p in patterns if fnmatchcase(name, p) and not is_allowed(file, p)}
    return sorted(breaches)


def roots_imported_by(*folders: str) -> dict[str, set[str]]:
    """Top-level module -> the files of `folders` that import it."""
    roots: dict[str, set[str]] = {}
    for path in python_files(*folders):
        for module in source_of(path).modules:
            roots.setdefault(module.split(".")[0], set()).add(path.relative_to(ROOT).as_posix())
    return roots


def calls_of(method: str, *folders: str, except_in: str, most_arguments: int = 99) -> list[str]:
    """`file:line` of every `something.method(...)` with at most so many arguments."""
    return [
        f"{path.relative_to(ROOT)}:{line}"
        for path in python_files(*folders)
        if not path.is_relative_to(ROOT / except_in)
        for name, line, arguments in source_of(path).calls
        if name == method and arguments <= most_arguments
    ]


def test_the_reader_of_these_tests_sees_through_aliases(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("import time\ntime.sleep(1)", "time.sleep"),
        ("from time import sleep as nap\nnap(1)", "time.sleep"),
        ("import time as clock\nlater = clock.time", "time.time"),
        ("from datetime import datetime as dt, UTC\ndt.now(UTC)", "datetime.datetime.now"),
        ("def f():\n    import uuid", "uuid."),
        ("from unittest import mock", "unittest.mock"),
        ("open('x')", "builtins.open"),
        ("import importlib\nimportlib.import_module('pykka')", "importlib.import_module"),
        ("import unittest.mock\nunittest.mock.patch('x')", "unittest.mock.patch"),
    ]
    for source, name in cases:
        with subtests.test(source=source, name=name):
            assert name in read(source).names


def test_the_reader_does_not_take_a_like_named_method_for_the_real_thing() -> None:
    assert "time.sleep" not in read("import time\nself.time.sleep(1)").names


@pytest.mark.req("C-18")
def test_messages_import_the_standard_library_and_msgspec_only() -> None:
    strangers = roots_imported_by("messages").keys() - sys.stdlib_module_names - {"messages", "msgspec"}

    assert strangers == set()


def test_rules_import_the_standard_library_and_messages_with_what_those_are_made_of_only() -> None:
    importers = roots_imported_by("domain")
    strangers = importers.keys() - sys.stdlib_module_names - {"domain", "messages", "msgspec", "numpy"}

    assert strangers == {"dateutil"}, "it adds months and touches no clock"
    assert importers["dateutil"] == {"domain/reminder/recurrence.py"}


def test_rules_and_messages_neither_open_files_nor_print() -> None:
    assert offenders(FILES, "domain", "messages") == []


def test_only_the_kernel_knows_the_time() -> None:
    assert offenders(CLOCKS, *PACKAGES, except_in=("actors/kernel/",)) == []


def test_only_the_kernel_makes_ids_and_chance() -> None:
    assert offenders(CHANCE, *PACKAGES, except_in=("actors/kernel/",)) == []


@pytest.mark.req("X-121")
def test_nobody_sleeps() -> None:
    assert offenders(SLEEPS, *PACKAGES) == []


def test_only_the_shell_actor_starts_programs() -> None:
    assert offenders(PROGRAMS, *PACKAGES, except_in=("actors/shell/",)) == []


def test_no_import_is_hidden_from_the_contracts() -> None:
    assert offenders(HIDDEN_IMPORTS, *PACKAGES) == []


@pytest.mark.req("C-03", "X-120", "X-124")
@pytest.mark.parametrize("method", ["ask", "proxy"])
def test_no_actor_waits_for_another(method: str) -> None:
    """The kernel's own `ask`, which waits for nothing, takes four arguments; pykka's three at most."""
    assert calls_of(method, "actors", except_in="actors/kernel", most_arguments=3) == []


def test_tests_use_fakes_and_not_mocks() -> None:
    assert offenders(MOCKS, "tests") == []


def test_nothing_that_a_command_runs_goes_around_the_streams_of_the_terminal() -> None:
    around = ("sys.__stdout__", "sys.__stderr__", "sys.stdout.buffer", "sys.stderr.buffer", "os.write")
    consoles = offenders(("rich.console.Console",), "actors", "lab")

    assert offenders(around, "actors/cli", "actors/kernel", "lab/commands", "lab/load", "lab/playground") == []
    drawing = ("actors/cli/terminal/progress.py", "actors/cli/terminal/screen.py", "lab/commands/bench.py")
    assert sorted(set(consoles)) == [f"{place}: rich.console.Console" for place in drawing]


def test_every_exception_to_these_rules_gives_its_reason_and_is_still_needed(subtests: pytest.Subtests) -> None:
    for place, pattern in ALLOWED:
        with subtests.test(place=place, pattern=pattern):
            files = [path for path in python_files(*PACKAGES) if path.relative_to(ROOT).as_posix().startswith(place)]
            used = {name for path in files for name in source_of(path).names if fnmatchcase(name, pattern)}

            assert used != set(), f"{place} has no {pattern} any more: take the exception out"
            assert len(ALLOWED[place, pattern].split()) > 3


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in python_files(*PACKAGES)
    }

    assert {file: length for file, length in lengths.items() if length > 400} == {}


def test_no_function_is_longer_than_60_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in python_files(*PACKAGES)
        for name, lines in source_of(path).functions
        if lines >= 60
    ]

    assert long == []


def entries(room: Path) -> list[str]:
    """Modules and rooms side by side in `room`."""
    modules = {path.stem for path in room.glob("*.py")} - {"__init__"}
    return sorted(modules | {path.parent.name for path in room.glob("*/__init__.py")})


def test_no_room_has_more_than_20_modules_side_by_side() -> None:
    counts = {
        room.relative_to(ROOT).as_posix(): sum(path.name != "__init__.py" for path in room.glob("*.py"))
        for room in {path.parent for path in python_files(*PACKAGES)}
    }

    assert {room: count for room, count in counts.items() if count > 20} == {}


@pytest.mark.parametrize(
    ("room", "most"), [("actors/memory", 12), ("actors/discord", 10), ("domain", 12), ("lab/playground", 12)]
)
def test_the_drawn_rooms_stay_as_small_as_drawn(room: str, most: int) -> None:
    assert 1 < len(entries(ROOT / room)) <= most, entries(ROOT / room)


def test_no_constructor_of_the_actors_takes_more_than_six_parameters() -> None:
    wide = {
        f"{path.relative_to(ROOT)}: {owner}": count
        for path in python_files("actors")
        for owner, count in source_of(path).constructors
        if count > 6
    }

    assert wide == {}
