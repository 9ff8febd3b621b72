"""Imports and classes of the core and of its edges."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest

from tests.requirements.sources import CHECKOUT, sources

CORE = ("actors.context", "actors.kernel", "actors.memory", "actors.scheduler", "actors.skills", "domain", "messages")
SURFACES = frozenset({"discord", "aiohttp", "click"})
PROVIDERS = frozenset({"litellm", "google", "openai", "anthropic"})
HTTP = frozenset({"aiohttp", "httpx", "requests", "urllib3", "http"})


@cache
def imports() -> dict[str, frozenset[str]]:
    """Module -> packages of its imports, late ones included."""
    return {path.removesuffix(".py").replace("/", "."): frozenset(_packages(tree)) for path, tree in sources()}


def _packages(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def rooms_that_import(package: str) -> set[str]:
    """Rooms such as `actors.memory` in which a package is imported."""
    return {".".join(module.split(".")[:2]) for module, packages in imports().items() if package in packages}


@pytest.mark.req("C-05", "C-06", "C-08", "C-27", "S0-18", "S0-102")
@pytest.mark.parametrize(
    ("package", "rooms"),
    [
        ("discord", {"actors.discord"}),
        ("litellm", {"actors.http_client", "actors.model"}),
        ("google", {"actors.embedder"}),
        ("apsw", {"actors.memory"}),
        ("sqlite_vec", {"actors.memory"}),
        ("sqlite3", set()),
        ("pykka", {"actors.kernel"}),
    ],
)
def test_each_package_has_its_rooms(package: str, rooms: set[str]) -> None:
    assert rooms_that_import(package) <= rooms
    assert bool(rooms_that_import(package)) == bool(rooms)


@pytest.mark.req("C-27", "X-98")
def test_one_module_opens_databases() -> None:
    opening = [
        path
        for path, _ in sources()
        if path.startswith("actors") and "apsw.Connection(" in (CHECKOUT / path).read_text("utf-8")
    ]
    assert opening == ["actors/memory/derived/database.py"]


@pytest.mark.req("C-04", "C-07", "C-09", "C-10", "C-11", "C-12", "C-13")
@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("actors.kernel.actor", "pykka"),
        ("actors.embedder.google", "google"),
        ("actors.memory.index.database", "sqlite_vec"),
        ("domain.memory.ranking", "numpy"),
        ("actors.embedder.circuit_breaker", "tenacity"),
        ("actors.model.calls", "tenacity"),
        ("domain.reminder.recurrence", "dateutil"),
        *((f"actors.cli.{name}", "click") for name in ("agent_cli", "run", "doctor")),
    ],
)
def test_what_the_card_names_a_package_for_is_done_with_it(module: str, package: str) -> None:
    assert package in imports()[module]


@pytest.fixture(scope="module", autouse=True)
def let_go_of_classes() -> Iterator[None]:
    """Forget the classes with their trees."""
    yield
    classes.cache_clear()


@cache
def classes() -> tuple[tuple[str, ast.ClassDef], ...]:
    """Room at the top, and each class in it."""
    return tuple(
        (path.partition("/")[0], node)
        for path, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )


def descendants(root: str) -> dict[str, str]:
    """Name -> room at the top, of each class that stems from `root`."""
    stemming: dict[str, str] = {}
    known = {root}
    while True:
        more = {
            node.name: room
            for room, node in classes()
            if node.name not in stemming and known & {ast.unparse(base) for base in node.bases}
        }
        if not more:
            return stemming
        stemming |= more
        known |= more.keys()


@pytest.mark.req("C-04", "C-17", "C-18")
def test_actors_stand_in_actors_and_messages_in_messages() -> None:
    (base,) = [node for _, node in classes() if node.name == "Actor"]
    assert [ast.unparse(each) for each in base.bases] == ["pykka.Actor"]
    actors, messages = descendants("Actor"), descendants("Message")
    assert {
        "ContextActor",
        "DiscordActor",
        "EmbedderActor",
        "MemoryActor",
        "ModelActor",
        "SchedulerActor",
    } <= actors.keys()
    assert {"UserMessage", "PinMemory", "ModelRequest"} <= messages.keys()
    assert {name: room for name, room in actors.items() if room != "actors"} == {}
    # What came of a call, which the loop of the embedder tells its own actor and nobody else understands.
    assert {name for name, room in messages.items() if room != "messages"} == {
        "CallDone",
        "CallFailed",
        "ListenOnceMore",
        "Listening",
        "Loaded",
        "Send",
    }


@pytest.mark.req("S0-05", "S0-22", "S0-94", "S0-95", "S0-96", "S0-97")
def test_the_core_knows_no_surface_no_provider_and_no_http() -> None:
    foreign = SURFACES | PROVIDERS | HTTP
    core = {module: packages & foreign for module, packages in imports().items() if module.startswith(CORE)}
    assert len(core) > 100
    # Each room of the core has commands of the operator's, which are no part of what runs.
    assert {module: packages for module, packages in core.items() if packages and packages != {"click"}} == {}
    assert {module.rpartition(".")[2] for module, packages in core.items() if packages} <= {"commands"}


@pytest.mark.req("S0-05")
def test_models_are_reached_by_no_http_of_ours_but_in_openais_form() -> None:
    of_models = {module: packages & HTTP for module, packages in imports().items() if module.startswith("actors.model")}
    assert of_models
    # Of a server that a layer names itself, and where litellm says so, nothing has to be translated.
    assert {module: packages for module, packages in of_models.items() if packages} == {
        "actors.model.routed": {"aiohttp"},
    }


@pytest.mark.req("S0-105", "S0-106")
def test_nothing_for_slack_and_no_interface_for_terminals_is_asked_for() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {line.split(">")[0].split("[")[0].split("=")[0].strip() for line in project["dependencies"]}
    assert "discord.py" in names
    assert names.isdisjoint({"slack-sdk", "slack-bolt", "textual", "urwid", "prompt-toolkit", "streamlit"})
    assert [path for path, _ in sources() if "slack" in path] == []
