from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from actors.facts.row import facts_config
from actors.facts.table import FactsTable
from actors.part import UnusableError
from actors.parts import facts_alone, gateway_parts, parts, settings_tables
from actors.settings.load import load
from actors.settings.problem import SettingsError
from messages.facts import FACT_INDEX, FACT_RECALL, FACTS, GATEWAY
from tests.actors.facts.plan import plan_of

UPSTREAM = 'openai_base_url = "http://127.0.0.1:1/v1"\n'


def kinds(plan: Any, made: Any = parts) -> set[str]:
    return {part.spec.kind for part in made(plan)}


@pytest.mark.req("S2-86", "S2-87", "S2-88", "S2-89", "S2-90", "S2-91", "S2-92", "S2-93", "S2-95", "S2-96")
def test_the_defaults_are_the_specification_s() -> None:
    table = FactsTable()

    assert (table.memory_path, table.embedding_model) == ("./memory_db", "text-embedding-3-small")
    assert (table.default_top_k, table.max_entries) == (5, 500)
    assert (table.mmr_lambda, table.recency_weight, table.score_threshold) == (0.7, 0.2, 0.35)
    assert (table.enable_summarization, table.enable_git_versioning, table.start_watcher) == (True, False, False)
    assert table.ingest_discord is False


@pytest.mark.req("X-60")
def test_switched_off_it_makes_no_actor_and_imports_nothing(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "")

    assert not kinds(plan) & {FACTS.kind, FACT_INDEX.kind, FACT_RECALL.kind, GATEWAY.kind, "facts-embedder"}
    program = (
        "import sys; from actors.parts import settings_tables; settings_tables(); "
        "rooms = ('watchfiles', 'aiohttp', 'actors.facts', 'actors.gateway', 'domain.facts'); "
        "print(sorted(name for name in sys.modules if name.startswith(rooms)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == str(
        [
            "actors.facts",
            "actors.facts.embedding",
            "actors.facts.part",
            "actors.facts.reranking",
            "actors.facts.reranking.folder",
            "actors.facts.reranking.part",
            "actors.facts.table",
            "actors.gateway",
            "actors.gateway.config",
            "actors.gateway.part",
        ]
    ), ran.stderr


@pytest.mark.req("S2-04")
def test_switched_on_it_makes_its_actors(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, f"[layers]\nfacts = true\n[facts]\n{UPSTREAM}")
    own = {FACTS.kind, FACT_INDEX.kind, FACT_RECALL.kind, GATEWAY.kind, "facts-embedder"}

    assert own <= kinds(plan)
    assert kinds(plan, gateway_parts) == own | {"model", "socket", "ledger", "local-model"}
    assert kinds(plan, facts_alone) == own - {GATEWAY.kind}
    assert not [part for part in parts(plan) if part.spec.kind in own and part.spec.core]


@pytest.mark.req("S2-94", "X-91")
def test_without_the_model_s_server_the_agent_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match=r"facts\.openai_base_url"):
        parts(plan_of(tmp_path, "[layers]\nfacts = true\n")).specs()


@pytest.mark.req("S2-86")
def test_the_folder_counts_from_the_data_root(tmp_path: Path) -> None:
    assert facts_config(plan_of(tmp_path, "")).root == tmp_path / "data" / "memory_db"
    assert facts_config(plan_of(tmp_path, '[facts]\nmemory_path = "/srv/m"\n')).root == Path("/srv/m")


@pytest.mark.req("X-60")
@pytest.mark.parametrize(("setting", "hears"), [("", False), ("ingest_discord = true\n", True)])
def test_turns_in_discord_are_heard_only_where_that_is_wanted(tmp_path: Path, setting: str, hears: bool) -> None:
    plan = plan_of(tmp_path, f"[layers]\nfacts = true\n[facts]\n{UPSTREAM}{setting}")
    (facts,) = (part for part in parts(plan) if part.spec.kind == FACTS.kind)

    assert facts.subscribes is hears


def test_a_reranker_is_made_where_one_is_named_and_says_what_it_lacks(tmp_path: Path) -> None:
    on = f"[layers]\nfacts = true\n[facts]\n{UPSTREAM}"

    assert "reranker" not in kinds(plan_of(tmp_path, on))
    with pytest.raises(UnusableError, match=r"facts\.reranker_model"):
        parts(plan_of(tmp_path, f'{on}reranker = "litellm"\n')).specs()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("default_top_k = 201", "200"),
        ("mmr_lambda = 1.5", "1"),
        ('reranker = "best"', "onnx"),
        ('memory_path = ""', "path of a folder"),
        ('openai_base_url = "ftp://x"', "http://"),
        ('keys = { "alice/" = "a key itself" }', "name of a secret"),
        ("gateway_port = 70000", "65535"),
        ("max_entries = 0", "1"),
        ("unknown = 1", "unknown"),
    ],
)
def test_a_bad_setting_is_refused_by_name(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "agent.toml"
    file.write_text(f"[facts]\n{line}\n")

    with pytest.raises(SettingsError) as caught:
        load(file, environ={}, tables=settings_tables())
    assert words in str(caught.value)
    assert "facts" in str(caught.value)


@pytest.mark.parametrize(
    ("space", "model", "is_current"),
    [
        ("openai/m/1536", "m", True),
        ("openai/m/1536", "m2", False),
        ("local/all-MiniLM-L6-v2/384", "local", True),
        ("hashed-words-v1/384", "local", True),
        ("openai/m/1536", "local", False),
        ("local/all-MiniLM-L6-v2/384", "m", False),
        ("openai/BAAI/bge/384", "BAAI/bge", True),
        ("local/bge@0a1b/384", "models/bge", True),
        ("local/all-MiniLM-L6-v2/384", "models/bge", False),
    ],
)
def test_the_name_of_a_space_tells_whether_its_model_is_in_force(
    tmp_path: Path, space: str, model: str, is_current: bool
) -> None:
    (tmp_path / "data" / "models" / "bge").mkdir(parents=True)
    config = facts_config(plan_of(tmp_path, f'[facts]\n{UPSTREAM}embedding_model = "{model}"\n'))

    assert config.is_current_space(space) is is_current
