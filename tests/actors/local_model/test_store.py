"""Files of local models: added, listed, found and removed; by the store and by the commands."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from actors.bootstrap import agent_plan
from actors.kernel import ActorSystem
from actors.local_model.catalogue import CATALOGUE, SPEECH_CATALOGUE
from actors.local_model.checks import findings
from actors.local_model.store import ModelFileError, Store, speech_store
from actors.part import Level
from actors.settings.load import load
from actors.settings.schema import Settings
from actors.transcribe.part import model_file
from tests.actors.cli.command import run, run_on_terminal

CONTENT = b"GGUF" + b"x" * 100
NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.gguf"
    path.write_bytes(CONTENT)
    return path


@pytest.mark.req("X-214")
def test_an_added_file_stays_where_it_is_and_is_refused_once_it_differs(tmp_path: Path, file: Path) -> None:
    store = Store(tmp_path / "models", "bin/agent")
    assert store.records() == ()

    record = store.add("mine", file, lambda *_: None)

    assert record.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert store.records() == (record,)
    assert store.find("mine") == file == store.find(str(file))
    file.write_bytes(CONTENT + b"!")
    with pytest.raises(ModelFileError, match=r"has 105 bytes and had 104 when it was checked"):
        store.find("mine")
    assert store.remove("mine") == (record, 0)
    assert file.exists()
    with pytest.raises(ModelFileError, match="'mine' is not on this machine"):
        store.remove("mine")


def test_names_and_files_that_cannot_be_are_refused_by_their_rule(tmp_path: Path, file: Path) -> None:
    store = Store(tmp_path / "models", "bin/agent")
    store.add("mine", file, lambda *_: None)
    (tmp_path / "text").write_text("no model")
    cases = {
        ("mine", file): "is there already",
        ("qwen3-4b", file): "is a name of the catalogue",
        ("../mine", file): "must be 1 to 64 of",
        ("", file): "must be 1 to 64 of",
        ("x" * 65, file): "must be 1 to 64 of",
        ("mine.gguf", file): "not ending in .gguf",
        ("other", tmp_path / "text"): "is not a model",
        ("other", tmp_path): "cannot be read: it is not a regular file",
        ("other", tmp_path / "none"): "cannot be read: No such file",
    }
    failures: list[object] = []
    for (name, path), words in cases.items():
        try:
            failures.append((name, store.add(name, path, lambda *_: None)))
        except ModelFileError as error:
            if words not in str(error):
                failures.append((name, error))
    assert not failures
    assert [record.name for record in store.records()] == ["mine"]


def test_a_damaged_record_is_no_model_and_hides_no_other(tmp_path: Path, file: Path) -> None:
    store = Store(tmp_path / "models", "bin/agent")
    store.add("mine", file, lambda *_: None)
    (store.folder / "other.json").write_text("{")

    assert [record.name for record in store.records()] == ["mine"]
    with pytest.raises(ModelFileError, match="local/other is not known"):
        store.find("other")


@pytest.mark.req("X-214")
def test_doctor_looks_at_local_models_that_the_settings_name_and_at_no_others(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "models"
    Store(folder, "bin/agent").add("mine", file, lambda *_: None)

    def look(name: str, *choices: str) -> list[tuple[Level, str]]:
        table = {"model": {"name": name, "choices": choices}, "local_model": {"folder": str(folder)}}
        settings = Settings.model_validate({"data_root": tmp_path, **table})
        return [(each.level, each.detail) for each in findings(settings, "bin/agent")]

    assert look("offline", "openai/gpt-5") == []
    assert look("offline", "local/mine") == [(Level.OK, f"local/mine: {file}")]
    ((level, detail),) = look("local/qwen3-1.7b")
    assert level is Level.FAIL
    assert "bin/agent model get qwen3-1.7b" in detail


def test_a_local_model_takes_no_address_of_a_server(tmp_path: Path) -> None:
    model = {"name": "local/mine", "api_base": "http://127.0.0.1:1/v1"}
    with pytest.raises(ValueError, match="the agent starts the server"):
        Settings.model_validate({"data_root": tmp_path, "model": model})


@pytest.mark.req("X-214")
def test_the_commands_list_add_and_remove_models(tmp_path: Path, file: Path) -> None:
    settings = tmp_path / "mine.toml"
    settings.write_text(f'[local_model]\nfolder = "{tmp_path}/models"\n')
    config = ("--config", str(settings))
    digest = hashlib.sha256(CONTENT).hexdigest()

    added = run("agent", "model", "add", "mine", str(file), *config, cwd=tmp_path)
    assert (added.returncode, added.stdout) == (0, f"local/mine: 104 bytes, sha256 {digest}: {file}\n")
    listed = json.loads(run("agent", "model", "list", "--json", *config, cwd=tmp_path).stdout)
    names = {each["name"]: each["here"] for each in listed["models"]}
    assert names == {**{each.name: False for each in CATALOGUE}, "mine": True}
    shown = run("agent", "model", "list", *config, cwd=tmp_path).stdout
    assert all(each.sha256 in shown and each.address() in shown for each in (*CATALOGUE, *SPEECH_CATALOGUE))
    removed = run("agent", "model", "remove", "local/mine", *config, cwd=tmp_path)
    assert removed.stdout == f"removed local/mine, 0 bytes are free again; {file} stays\n"

    unknown = run("agent", "model", "get", "mine", *config, cwd=tmp_path)
    assert (unknown.returncode, "'mine' is not in the list: qwen3-4b," in unknown.stderr) == (2, True)
    environment = {"HF_ENDPOINT": NOWHERE}
    away = run("agent", "model", "get", "qwen3-1.7b", *config, cwd=tmp_path, environment=environment)
    assert (away.returncode, "127.0.0.1 cannot be reached from here" in away.stderr) == (1, True)


def test_a_speech_model_is_listed_fetched_by_its_name_and_never_added(tmp_path: Path) -> None:
    settings, weights = tmp_path / "mine.toml", tmp_path / "own.bin"
    settings.write_text(f'[local_model]\nfolder = "{tmp_path}/models"\n')
    weights.write_bytes(b"lmgg" + bytes(100))
    config = ("--config", str(settings))

    listed = json.loads(run("agent", "model", "list", "--json", *config, cwd=tmp_path).stdout)
    assert {each["name"]: each["here"] for each in listed["speech_models"]} == {
        each.name: False for each in SPEECH_CATALOGUE
    }
    away = run("agent", "model", "get", "whisper-base", *config, cwd=tmp_path, environment={"HF_ENDPOINT": NOWHERE})
    assert (away.returncode, "127.0.0.1 cannot be reached from here" in away.stderr) == (1, True)
    added = run("agent", "model", "add", "mine", str(weights), *config, cwd=tmp_path)
    assert (added.returncode, "write its path as transcribe.model" in added.stderr) == (1, True)
    gone = run("agent", "model", "remove", "whisper-base", *config, cwd=tmp_path)
    assert "'whisper-base' is not on this machine" in gone.stderr


def test_weights_of_a_speech_model_lie_where_the_program_looks_for_them(tmp_path: Path) -> None:
    given = {"data_root": str(tmp_path / "data"), "transcribe.api": "local", "local_model.folder": str(tmp_path / "m")}
    plan = agent_plan(load(environ={}, folder=tmp_path, overrides=given), {}, ActorSystem(workers=0), None)

    assert speech_store(tmp_path / "m", "agent").fetched_file("whisper-base") == Path(model_file(plan))


@pytest.mark.req("X-214")
def test_a_try_with_a_local_model_says_what_it_fetches_and_asks_on_a_terminal(tmp_path: Path) -> None:
    settings = tmp_path / "mine.toml"
    settings.write_text(
        f'[local_model]\nfolder = "{tmp_path}/models"\n[model]\napi_base = "{NOWHERE}"\nname = "hosted_vllm/x"\n'
    )
    words = ("try", "--model", "local", "--say", "hi", "--config", str(settings), "--data", str(tmp_path / "data"))
    environment = {"HF_ENDPOINT": NOWHERE}

    piped = run("agent", *words, cwd=tmp_path, environment=environment)
    assert piped.returncode == 1
    assert f"Qwen3 1.7B, Q8_0 (Apache-2.0), 1.83 GB, is fetched from {NOWHERE}/Qwen/Qwen3-1.7B-GGUF/" in piped.stderr
    assert "127.0.0.1 cannot be reached from here" in piped.stderr

    code, shown = run_on_terminal("agent", *words, cwd=tmp_path, environment=environment, typed=b"n\n")
    assert code == 1
    assert "Fetch it?" in shown
    assert "nothing was fetched" in shown
    assert "cannot be reached" not in shown
