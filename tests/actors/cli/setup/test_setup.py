"""`agent setup` against a playground, as a person types it and as a script calls it; then the agent that it set up."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.loopback_model.server import Answer, LoopbackModel, Refusal
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import ELSEWHERE_ID, GENERAL_ID, GUEST_ID, YOU_ID
from tests.actors.cli.command import inherited, run, start
from tests.actors.cli.setup.typist import Typist, contents, places, settings
from tests.patience import PATIENCE_S
from tests.trusted import trust, write_settings


def answers(folder: Path, server: PlaygroundServer) -> str:
    """Answer of an agent that `agent run` starts in `folder`."""
    process = subprocess.Popen([*start("agent"), "run"], cwd=folder, env={**inherited(), "HOME": str(folder)})
    try:
        server.wait_until_online(timeout_s=PATIENCE_S)
        said = server.say(GENERAL_ID, "run: echo $((7919*7919))")
        reply = server.wait_for_reply(
            GENERAL_ID, after=said, timeout_s=PATIENCE_S, until=lambda message: "62710561" in str(message["content"])
        )
        return str(reply["content"])
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@pytest.mark.req("X-198")
@pytest.mark.slow
def test_a_person_gets_from_a_token_to_an_answer(tmp_path: Path, server: PlaygroundServer) -> None:
    typist = Typist(tmp_path, *places(server), secrets=(server.bot_token,))
    typist.expect("Token .hidden.*: ?$")
    typist.type("Bot oh no")
    typist.expect(r"a token is one word.*hidden\): ?$")
    typist.type("wrong-token")
    typist.expect(r"Discord does not know this token.*hidden\): ?$")
    typist.type(server.bot_token)
    typist.expect("Message Content Intent is on.*permissions=274878008384.*all six permissions.*Numbers or names")
    typist.type("nowhere")
    typist.expect("'nowhere' is not in the list")
    typist.type("gen")
    typist.expect("the bot hears #general.*Your name")
    typist.type("guest, Nobody")
    typist.expect("'Nobody': no member of Playground has this id or a name that begins so")
    typist.type("@you")
    typist.expect("the bot listens to You\\r")
    typist.expect("Which")
    typist.type("")
    typist.expect("A path")
    typist.type("")
    typist.expect("Write the unit")
    typist.type("y")
    assert typist.end() == 0

    said = settings(tmp_path)
    assert said["discord"]["channels"] == [str(GENERAL_ID)]
    assert said["discord"]["allowed_users"] == [str(YOU_ID)]  # and nobody of the line that was refused
    text = (tmp_path / "agent.toml").read_text()
    assert f'channels = ["{GENERAL_ID}"]  # #general\n' in text
    assert f'allowed_users = ["{YOU_ID}"]  # You\n' in text
    assert stat.S_IMODE((tmp_path / "secrets.env").stat().st_mode) == 0o600
    assert (tmp_path / "secrets.env").read_text() == f"DISCORD_BOT_TOKEN={server.bot_token}\n"
    unit = (tmp_path / ".config/systemd/user/remembrancer.service").read_text()
    assert f"run --config {tmp_path}/agent.toml" in unit
    assert "62710561" in answers(tmp_path, server)


@pytest.mark.slow
def test_a_script_sets_it_up_without_a_question(tmp_path: Path, server: PlaygroundServer) -> None:
    (tmp_path / "token").write_text(f"{server.bot_token}\n")
    done = run(
        *("agent", "setup", "--non-interactive", "--token-file", "token", *places(server)),
        *("--channel", "general", "--channel", str(ELSEWHERE_ID), "--user", "You", "--user", str(GUEST_ID)),
        *("--model", "offline", "--reminders", "notes.md"),
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stderr
    assert server.bot_token not in done.stdout + done.stderr
    said = settings(tmp_path)
    assert said["discord"]["channels"] == [str(GENERAL_ID), str(ELSEWHERE_ID)]
    assert said["discord"]["allowed_users"] == [str(YOU_ID), str(GUEST_ID)]
    assert said["reminders"]["file"] == "notes.md"
    assert "62710561" in answers(tmp_path, server)


@pytest.fixture
def wizard(tmp_path: Path, server: PlaygroundServer) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`agent setup` without questions, all of whose options are well but those that are given."""
    (tmp_path / "token").write_text(server.bot_token)

    def call(*more: str, **environment: str) -> subprocess.CompletedProcess[str]:
        usual = {"--token-file": "token", "--channel": "general", "--user": "You", "--model": "offline"}
        words = [word for name, value in usual.items() if name not in more for word in (name, value)]
        return run(
            *("agent", "setup", "--non-interactive", *places(server), *words, *more),
            cwd=tmp_path,
            environment=environment,
        )

    return call


def test_what_does_not_fit_is_named_with_the_rule_and_nothing_is_written(
    subtests: pytest.Subtests, wizard: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("--channel", "nowhere"), "'nowhere' is not in the list"),
        (("--user", "Nobody"), "'Nobody': no member of Playground has this id or a name that begins so"),
        (("--user", "99999999999999999"), "'99999999999999999': no member of Playground"),
        (("--token-file", "missing"), "--token-file missing: No such file"),
        (("--reminders", "no/such/file.md"), "there is no folder"),
        (("--reminders", "."), "is a folder"),
        (("--model", "openai/gpt-4.1-mini"), "OPENAI_API_KEY must be set in the environment"),
        (("--discord-api", "http://127.0.0.1:9/api"), "http://127.0.0.1:9/api cannot be asked"),
        (("--discord-api", "x"), '--discord-api: discord.api_base = "x": must be an address'),
        (("--discord-gateway", "http://x"), '--discord-gateway: discord.gateway_url = "http://x": must be'),
        (("--model", "two words"), '--model: model.name = "two words": must be'),
        (("--model", "a/b", "--model-api-base", "10.0.0.1"), '--model-api-base: model.api_base = "10.0.0.1": must be'),
        (("--reminders", "~no-such-user/x.md"), "must not begin with the ~ of a user without a home"),
    ]
    for more, rule in cases:
        with subtests.test(more=more, rule=rule):
            done = wizard(*more)

            assert done.returncode == 1
            assert rule in done.stderr
            assert {path.name for path in tmp_path.iterdir()} == {"token"}


def test_a_second_run_keeps_what_is_there_and_not_asked(
    wizard: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    before = '# mine\n[discord]\nanswer = "mentions"  # quiet\nchannels = [\n  "1000000000000000",\n]\n\n[shell]\nenabled = false\n'
    write_settings(tmp_path, before)
    (tmp_path / "agent.toml").chmod(0o644)
    (tmp_path / "secrets.env").write_text("# keys\nOPENAI_API_KEY=mine\nDISCORD_BOT_TOKEN=old\n")
    (tmp_path / "secrets.env").chmod(0o600)
    trust(tmp_path)

    assert wizard().returncode == 0

    text = (tmp_path / "agent.toml").read_text()
    assert text.startswith("# mine\n[discord]\n")
    assert 'answer = "mentions"  # quiet\n' in text
    said = settings(tmp_path)
    assert said["discord"]["channels"] == [str(GENERAL_ID)]
    assert said["shell"] == {"enabled": False}
    assert stat.S_IMODE((tmp_path / "agent.toml").stat().st_mode) == 0o644
    lines = (tmp_path / "secrets.env").read_text().splitlines()
    assert lines[:2] == ["# keys", "OPENAI_API_KEY=mine"]
    assert [line.split("=")[0] for line in lines[2:]] == ["DISCORD_BOT_TOKEN"]
    once = contents(tmp_path)
    assert wizard().returncode == 0
    assert contents(tmp_path) == once


@pytest.mark.parametrize("name", ["agent.toml", "secrets.env"])
def test_nothing_is_written_through_a_link(
    wizard: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, name: str
) -> None:
    aim = tmp_path / "aim"
    aim.write_text("")
    aim.chmod(0o600)
    (tmp_path / name).symlink_to(aim)

    done = wizard()

    assert done.returncode == 1
    assert "is a link" in done.stderr
    assert aim.read_text() == ""


def test_a_bot_that_may_not_read_is_told_where_to_switch_it_on(tmp_path: Path) -> None:
    server = PlaygroundServer(PlaygroundConfig(allowed_intents=0))
    server.start()
    try:
        done = run(
            *("agent", "setup", "--non-interactive", *places(server)),
            cwd=tmp_path,
            environment={"DISCORD_BOT_TOKEN": server.bot_token},
        )
    finally:
        server.stop()
    assert done.returncode == 1
    assert "Message Content Intent is off: switch it on at https://discord.com/developers/applications/" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [(Answer("ready"), 0, "the model answers"), (Refusal(401), 1, "hosted_vllm/m: ")],
)
def test_a_model_is_tried_before_it_is_written_down(
    wizard: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, answer: Any, code: int, words: str
) -> None:
    with LoopbackModel(lambda _request: answer) as model:
        done = wizard("--model", "hosted_vllm/m", "--model-api-base", model.api_base)

    assert done.returncode == code, done.stderr
    assert words in done.stdout + done.stderr
    assert (tmp_path / "agent.toml").exists() == (code == 0)


def test_without_a_terminal_nobody_is_asked(tmp_path: Path) -> None:
    done = subprocess.run(
        [*start("agent"), "setup"],
        cwd=tmp_path,
        env=inherited(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 1
    assert "use --non-interactive" in done.stderr
