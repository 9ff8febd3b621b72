"""Actors share no state: modules and classes hold constants and tables for look-ups only."""

from __future__ import annotations

import ast

import pytest

from tests.requirements.sharing import changed, frozen, kept, makers, rebound, tables
from tests.requirements.sources import sources

MADE = {
    "actors/curated/table.py": {"Field", "FolderOf"},
    "actors/embedder/local.py": {"threading.Lock"},  # so that two embedders load the weights once
    "actors/facts/table.py": {"Field", "FrozenMap"},
    "actors/objects/table.py": {"Field"},
    "actors/http_client/late_import.py": {"threading.RLock"},  # so that no two threads import large libraries at once
    "actors/workspace/table.py": {"Field"},
    "domain/objects/state.py": {"msgspec.field"},
    "actors/discord/connection/pauses.py": {"ContextVar"},
    "actors/settings/mcp.py": {"Field"},
    "actors/settings/operating.py": {"Field"},
    "actors/settings/table.py": {"ConfigDict"},
    "actors/settings/schema.py": {"Field", "PrivateAttr", "SettingsConfigDict"},
    "actors/shell/sandbox/kept_names.py": {"_matcher"},
    "domain/memory/keywords.py": {"_Folding"},
    "domain/memory/letters.py": {"_Plain"},
    "domain/memory/searchable.py": {"_Signs"},
    "domain/text/imitation.py": {"_compile"},
    "domain/text/lookalike.py": {"_Looks"},
    "domain/turn/bash_tool.py": {"bash_tool"},
    "domain/workspace/files/memory_file.py": {"_template"},
    "domain/workspace/files/session_state.py": {"_template"},
}
"""Other makers of values at the top: pydantic's, functions, patterns, and tables with values derived from a key."""
HANDED_ON = {
    "actors/embedder/openai_provider.py": {"_BASE64"},  # letters
    "actors/http_server/guard.py": {"_HEADERS"},  # aiohttp copies them
    "actors/observer/server.py": {"_HEADERS"},  # the one is frozen, aiohttp copies the other
    "actors/model/litellm_child.py": {"ENVIRONMENT"},  # copied
    "actors/settings/load.py": {"ENVIRONMENT"},  # an enumeration's member of that name
    "actors/web/page.py": {"HEADERS"},  # aiohttp copies them
    "domain/offline/asking.py": {"_KINDS"},
    "domain/memory/porter.py": {"_STEP_2", "_STEP_3"},  # to a function beside it
}
"""Tables given to callers that only read."""
REBOUND = {
    "actors/cli/terminal/streams.py": {"sys.stderr", "sys.stdout"},
    "actors/discord/calls/addresses.py": {"DiscordWebSocket.DEFAULT_GATEWAY", "Route.BASE", "_files"},
    "actors/discord/connection/pauses.py": {"_module"},
    "actors/http_client/litellm_library.py": {"litellm.DEFAULT_MAX_RETRIES", "litellm.suppress_debug_info"},
    # A program of its own, which is to have no network.
    "actors/model/litellm_child.py": {
        "socket.getaddrinfo",
        "sys.stdout",
    },
    "actors/local_model/child.py": {"sys.stdout"},  # a program of its own
    "messages/base.py": {"vars(sys.modules[module])"},  # read
}
"""Settings of libraries for a whole process, made before any actor works."""
KEPT = {"actors/model/wire.py": {"_tools"}, "domain/text/answer/reading.py": {"_tools"}}
"""Cached values, copied for each caller or only read."""


@pytest.mark.req("C-03", "C-31")
def test_what_modules_and_classes_hold_is_changed_by_nobody() -> None:
    modules = dict(sources())
    table_names = set[str]().union(*map(tables, modules.values()))
    known = set[str]().union(*map(frozen, modules.values()))
    assert len(table_names) > 20
    assert {name for name in table_names if not name.isupper()} == set(), (
        "what is named like a variable is taken for one"
    )
    breaches = {
        path: (makers(tree, known), changed(tree, table_names), rebound(tree), kept(tree))
        for path, tree in modules.items()
    }
    for number, expected in enumerate((MADE, HANDED_ON, REBOUND, KEPT)):
        assert {path: each[number] for path, each in breaches.items() if each[number]} == expected


TOP = [
    "T = {}",
    "T: dict[str, int] = {}",
    "if X:\n    T = []",
    "try:\n    T = set()\nfinally:\n    pass",
    "A, T = 1, []",
]
TOP += ["class A:\n    T = []", "class A:\n    class B:\n        T: list[int] = []", "T = ([], [])", "T = deque[int]()"]


@pytest.mark.req("C-31")
def test_the_look_for_tables_sees_one() -> None:
    assert [top for top in TOP if tables(ast.parse(top)) != {"T"}] == []
    assert tables(ast.parse("def f():\n    T = []\n    self.T = {}")) == set()


@pytest.mark.req("C-31")
def test_the_look_for_what_changes_a_table_sees_it() -> None:
    cases = [
        *(
            "T.append(1)",
            "m.T.update(a=1)",
            "T['a'] = 1",
            "del T[0]",
            "T += [1]",
            "m.T |= {1: 2}",
            "T.__setitem__(1, 2)",
        ),
        *("T.difference_update({1})", "heappush(T, 1)", "m.sort(key=T)", "self.T.append(1)", "def f():\n    t = T"),
        *(
            "def f():\n    return T",
            "for T[0] in x: pass",
            "def f():\n    (t := T)",
            "Class.T.clear()",
            "def f():\n    T[0].append",
            "T[0][1] = 2",
        ),
    ]
    assert [change for change in cases if changed(ast.parse(change), {"T"}) != {"T"}] == []


def test_the_look_for_what_changes_a_table_lets_one_read_it() -> None:
    cases = [
        "T.get(1)",
        "x = T[0]",
        "1 in T",
        "[a for a in T]",
        "len(T)",
        "f(**T)",
        "', '.join(T)",
        "T = []",
        "f(T[0])",
    ]
    assert [reading for reading in cases if changed(ast.parse(reading), {"T"}) != set()] == []


@pytest.mark.req("C-31")
def test_the_look_for_what_is_made_at_the_top_sees_it() -> None:
    cases = [
        *("IDS = itertools.count()", "C = ContextVar('c')", "T = WeakValueDictionary()", "T = np.zeros(4)"),
        *("T = defaultdict[str, int](int)", "POOL = ThreadPoolExecutor(2)", "L = Lock()", "F = make()", "A1 = A()"),
    ]
    assert [case for case in cases if len(makers(ast.parse(case), {"Address"})) != 1] == []
    assert makers(ast.parse("A = Address('x')\nB = re.compile('x')\ndef f():\n    C = Lock()"), {"Address"}) == set()


@pytest.mark.req("C-31")
def test_the_look_for_what_is_bound_anew_sees_it() -> None:
    cases = [
        *("global T\n    T = 1", "A.n += 1", "_A.n = 1", "type(self).n = 1", "cls.n = 1", "self.__class__.n = 1"),
        *("m.x = 1", "globals()['x'] = 1", "vars(m)['x'] = 1", "setattr(m, 'x', 1)", "delattr(A, 'x')", "del A.n"),
    ]
    assert [
        statement for statement in cases if len(rebound(ast.parse(f"import m\ndef f():\n    {statement}"))) != 1
    ] == []
    assert rebound(ast.parse("def f(self):\n    self.n = 1\n    setattr(self, 'n', 2)")) == set()


@pytest.mark.req("C-31")
def test_the_look_for_what_functions_keep_sees_it() -> None:
    cases = [
        *("def f(x=[]): ...", "def f(*, x={}): ...", "async def f(x=dict()): ...", "@cache\ndef f(): ..."),
        *("@functools.lru_cache(maxsize=1)\ndef f() -> list[int]: ...", "@lru_cache\ndef f() -> dict[str, int]: ..."),
    ]
    assert [function for function in cases if kept(ast.parse(function)) != {"f"}] == []
    assert kept(ast.parse("@cache\ndef f(x=()) -> str: ...\ndef g() -> list[int]: ...")) == set()
