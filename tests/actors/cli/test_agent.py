"""The agent's other commands, and what bad input gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actors.cli.try_it import _browse
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import digest, run
from tests.trusted import write_settings


def test_try_says_prints_the_answers_and_ends_and_its_logs_are_sound(tmp_path: Path) -> None:
    done = run(
        "agent",
        "try",
        "--data",
        "data",
        "--say",
        "hello",
        "--say",
        "run: echo $((7919*7919))",
        "--say",
        """run: mcp list days; mcp call almanac add_days '{"start": "2024-02-28", "days": 2}'""",
        "--speak",
        "run: echo aloud",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "\naloud\n" in done.stdout
    assert "offline" in done.stdout
    assert "\n62710561\n" in done.stdout
    assert "almanac days_between: " in done.stdout
    assert "2024-03-01" in done.stdout
    assert "note: commands " in done.stderr
    checked = run("agent", "logs", "check", "data/logs", cwd=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, "1 logs, 0 problems\n")
    shown = run("agent", "logs", "show", "data/logs", cwd=tmp_path)
    assert "run: echo $((7919*7919))" in shown.stdout


def test_the_pages_address_is_in_no_argument_of_the_browser_but_in_a_private_file(tmp_path: Path) -> None:
    opened: list[str] = []
    for token in ("first", "second"):
        _browse(f"http://127.0.0.1:1/?token={token}", tmp_path, opened.append)

    (file,) = tmp_path.iterdir()
    assert opened == [file.as_uri()] * 2
    assert file.stat().st_mode & 0o777 == 0o600
    assert "url=http://127.0.0.1:1/?token=second" in file.read_text()


def test_try_names_a_port_that_is_taken(tmp_path: Path) -> None:
    server = PlaygroundServer()
    server.start()
    done = run("agent", "try", "--port", str(server.port), "--say", "hello", cwd=tmp_path)
    server.stop()
    assert done.returncode == 1
    assert f"port {server.port}" in done.stderr
    assert "--port" in done.stderr


def test_a_changed_log_is_named_with_line_and_reason(tmp_path: Path) -> None:
    run("agent", "try", "--data", "data", "--say", "hello", cwd=tmp_path)
    (log,) = (tmp_path / "data" / "logs").rglob("*.md")
    log.write_bytes(log.read_bytes().replace(b"\nhello\n", b"\njello\n"))
    done = run("agent", "logs", "check", str(log), cwd=tmp_path)
    assert done.returncode == 1
    assert f"{log}:5:" in done.stderr
    assert json.loads(run("agent", "logs", "check", "--json", str(log), cwd=tmp_path).stdout)["problems"]


def test_a_log_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run("agent", "logs", "check", "nowhere.md", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: nowhere.md: no such file or folder\n")


def test_doctor_names_the_model_and_what_commands_are_kept_in(tmp_path: Path) -> None:
    write_settings(tmp_path, '[shell]\nsandbox = "none"\n')
    done = run("agent", "doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "unsandboxed" in done.stdout
    assert "offline" in done.stdout
    assert digest(tmp_path).keys() == {"agent.toml"}
    assert json.loads(run("agent", "doctor", "--json", cwd=tmp_path).stdout)["ok"] is True


def test_doctor_and_try_say_that_commands_are_turned_off(tmp_path: Path) -> None:
    write_settings(tmp_path, "[shell]\nenabled = false\n")
    checks = json.loads(run("agent", "doctor", "--json", cwd=tmp_path).stdout)["checks"]
    details = {check["name"]: check["detail"] for check in checks}
    assert details["bash"] == "not needed: commands are turned off (shell.enabled)"
    assert details["skills"] == "not offered: commands are turned off (shell.enabled)"
    assert "sandbox" not in details
    done = run("agent", "try", "--data", "data", "--say", "run: echo $((7919*7919))", cwd=tmp_path)
    assert (done.returncode, "62710561" in done.stdout) == (0, False)
    assert "no bash tool is offered" in done.stdout
    assert "note: commands are turned off (shell.enabled)" in done.stderr


def test_doctor_fails_on_a_damaged_log(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "logs" / "discord-channel" / "910000000000000011"
    folder.mkdir(parents=True)
    (folder / "20260130T142355Z_0001.md").write_text("nonsense\n")
    done = run("agent", "doctor", cwd=tmp_path)
    assert done.returncode == 1
    assert "20260130T142355Z_0001.md" in done.stdout


def test_config_prints_the_settings_in_force_and_masks_secrets(tmp_path: Path) -> None:
    done = run("agent", "config", "--json", cwd=tmp_path, environment={"OPENAI_API_KEY": "sk-very-secret-value-123"})
    found = json.loads(done.stdout)
    assert found["settings"]["model.name"] == {"value": "offline", "source": "default"}
    assert found["secrets"]["OPENAI_API_KEY"]["value"] == "set"
    assert "very-secret" not in done.stdout + done.stderr


def test_a_bad_setting_is_refused_with_file_line_key_and_rule(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["run", "try", "doctor", "config"]
    for number, command in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(command=command):
            write_settings(place, "[shell]\ntimeout_s = 0\n[discord]\nchanels = []\n")
            done = run("agent", command, cwd=place)
            assert done.returncode == 1
            assert "agent.toml:2: shell.timeout_s = 0: must be > 0" in done.stderr
            assert "agent.toml:4: discord.chanels: unknown key" in done.stderr


def test_run_without_a_token_says_so_in_one_sentence(tmp_path: Path) -> None:
    settings = f'[discord]\nchannels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\n'
    write_settings(tmp_path, settings)
    done = run("agent", "run", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: no token:")


def settings_for(server: PlaygroundServer, folder: Path) -> None:
    """A settings file that leads to the playground."""
    write_settings(
        folder,
        f'[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
        f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\n',
    )


def test_run_with_a_wrong_token_ends_with_one_sentence_and_does_not_try_again(tmp_path: Path) -> None:
    server = PlaygroundServer()
    server.start()
    settings_for(server, tmp_path)
    done = run("agent", "run", cwd=tmp_path, environment={"DISCORD_BOT_TOKEN": "wrong-token"})
    logins = server.requests("GET", "/users/@me")
    server.stop()
    assert done.returncode == 1
    assert "token" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert len(logins) == 1


def test_run_without_the_intents_says_which_switch_to_turn_on(tmp_path: Path) -> None:
    server = PlaygroundServer(PlaygroundConfig(allowed_intents=0))
    server.start()
    settings_for(server, tmp_path)
    done = run("agent", "run", cwd=tmp_path, environment={"DISCORD_BOT_TOKEN": server.bot_token})
    server.stop()
    assert done.returncode == 1
    assert "MESSAGE CONTENT INTENT" in done.stderr
    assert "Traceback" not in done.stderr


def test_two_agents_do_not_share_a_data_root(tmp_path: Path) -> None:
    from actors.context.log.data_root import DataRoot

    root = DataRoot(tmp_path / "data")
    root.hold()
    done = run("agent", "try", "--data", "data", "--say", "hello", cwd=tmp_path)
    root.release()
    assert done.returncode == 1
    assert "another agent uses it" in done.stderr


def test_a_provider_without_its_model_is_named_before_anything_starts(tmp_path: Path) -> None:
    write_settings(tmp_path, '[embedder]\nprovider = "litellm"\n')
    done = run("agent", "try", "--data", "data", "--say", "hello", cwd=tmp_path)
    assert done.returncode == 1
    assert "error: embedder.model is empty" in done.stderr
    assert "Traceback" not in done.stderr
