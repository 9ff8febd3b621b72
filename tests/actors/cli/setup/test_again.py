"""`agent setup` where something is there already: files, other servers, permissions that lack; and where it is broken off."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.loopback_model.server import Answer, LoopbackModel, Refusal
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, ELSEWHERE_ID, GENERAL_ID, GUEST_ID, YOU_ID
from tests.actors.cli.command import run
from tests.actors.cli.setup.typist import Typist, contents, places, settings
from tests.trusted import write_settings

SECOND = 910000000000000002
KEY = "a-key-that-nobody-sees"
QUESTIONS = ("Token .hidden", "Numbers or names", "Your name", "Which", "A path", "Write the unit")
Wizard = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def wizard(tmp_path: Path, server: PlaygroundServer) -> Wizard:
    """`agent setup` without questions, with the token in the environment and the options that are given."""

    def call(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        known = {"DISCORD_BOT_TOKEN": server.bot_token, **environment}
        command = ("agent", "setup", "--non-interactive", *places(server), *options)
        return run(*command, cwd=tmp_path, environment=known)

    return call


def has_set_up(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


def is_refused(done: subprocess.CompletedProcess[str], rule: str) -> None:
    assert done.returncode == 1, done.stdout
    assert rule in done.stderr


@pytest.mark.slow
def test_enter_keeps_everything(wizard: Wizard, tmp_path: Path, server: PlaygroundServer) -> None:
    with LoopbackModel(lambda _request: Answer("ready")) as model:
        options = ("--channel", "general", "--user", "You", "--reminders", "notes.md")
        own = ("--model", "hosted_vllm/mine", "--model-api-base", model.api_base)
        has_set_up(wizard(*options, *own, HOSTED_VLLM_API_KEY=KEY))
        assert f"HOSTED_VLLM_API_KEY={KEY}\n" in (tmp_path / "secrets.env").read_text()
        before = contents(tmp_path)

        typist = Typist(tmp_path, secrets=(server.bot_token, KEY))
        for question in (*QUESTIONS[:4], "Its name", "Its address", "HOSTED_VLLM_API_KEY", *QUESTIONS[4:]):
            typist.expect(f"{question}.*: ?$")
            typist.type("")
        assert typist.end() == 0, typist.seen

    assert contents(tmp_path) == before
    for kept in ("[general]", "[vllm]", "[hosted_vllm/mine]", f"[{model.api_base}]", "[notes.md]", "the model answers"):
        assert kept in typist.seen


@pytest.mark.req("X-197")
@pytest.mark.slow
@pytest.mark.parametrize("answered", range(len(QUESTIONS)), ids=QUESTIONS)
def test_ctrl_c_at_any_question_leaves_all_files_as_they_were(
    wizard: Wizard, tmp_path: Path, server: PlaygroundServer, answered: int
) -> None:
    has_set_up(wizard("--channel", "general", "--user", "You", "--model", "offline"))
    before = contents(tmp_path)

    typist = Typist(tmp_path, secrets=(server.bot_token,))
    new = (server.bot_token, "elsewhere", "guest", "offline", "other.md")
    for question, answer in zip(QUESTIONS[:answered], new, strict=False):
        typist.expect(f"{question}.*: ?$")
        typist.type(answer)
    typist.expect(f"{QUESTIONS[answered]}.*: ?$")
    typist.interrupt()

    assert typist.end() == 130, typist.seen
    assert "nothing was changed" in typist.seen
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_a_model_that_does_not_answer_is_kept_on_demand_only(tmp_path: Path, server: PlaygroundServer) -> None:
    with LoopbackModel(lambda _request: Refusal(401)) as model:
        typist = Typist(tmp_path, *places(server), secrets=(server.bot_token, KEY))
        for question, answer in (
            ("Token .hidden", server.bot_token),
            ("Numbers or names", "1"),
            ("Your name", "you"),
            ("Which", "anthropic, openai"),
            ("choose one.*Which", "vllm"),
            ("Its name", ""),
            ("name is required.*Its name", "Qwen/Mine"),
            ("Its address", "127.0.0.1"),
            ("must be.*an address.*Its address", model.api_base),
            ("HOSTED_VLLM_API_KEY", KEY),
            ("asking hosted_vllm/Qwen/Mine for one word.*Keep this model", "n"),
            (r"Which \[vllm\]", ""),
            (r"Its name \[hosted_vllm/Qwen/Mine\]", ""),
            (r"Its address \[http://127", ""),
            ("HOSTED_VLLM_API_KEY .hidden; Enter keeps", ""),
            ("Keep this model", "y"),
            ("A path", "-"),
            ("Write the unit", ""),
        ):
            typist.expect(f"{question}.*: ?$")
            typist.type(answer)
        assert typist.end() == 0, typist.seen

    said = settings(tmp_path)
    assert said["model"] == {"name": "hosted_vllm/Qwen/Mine", "api_base": model.api_base}
    assert said["reminders"]["file"] == ""
    assert not (tmp_path / ".config").exists()


def test_channels_of_two_servers_stay_together(wizard: Wizard, tmp_path: Path, server: PlaygroundServer) -> None:
    server.create_guild("Second", SECOND)
    there = server.create_channel("general", guild_id=SECOND)

    is_refused(wizard("--channel", "general", "--user", "You"), f"general ({GENERAL_ID}), general ({there})")
    has_set_up(wizard("--channel", str(GENERAL_ID), "--channel", str(there), "--user", "You"))
    assert settings(tmp_path)["discord"]["channels"] == [str(GENERAL_ID), str(there)]
    has_set_up(wizard())
    assert settings(tmp_path)["discord"]["channels"] == [str(GENERAL_ID), str(there)]


@pytest.mark.req("X-198")
def test_what_the_settings_name_and_discord_does_not_know_is_kept(wizard: Wizard, tmp_path: Path) -> None:
    gone = "123456789012345678"
    write_settings(
        tmp_path, f'[discord]\nchannels = ["{gone}", "{ELSEWHERE_ID}"]\nallowed_users = ["{gone}", "{GUEST_ID}"]\n'
    )
    has_set_up(wizard())
    said = settings(tmp_path)["discord"]
    assert (said["channels"], said["allowed_users"]) == ([gone, str(ELSEWHERE_ID)], [gone, str(GUEST_ID)])
    is_refused(wizard("--channel", "123456789012345679"), "'123456789012345679' is not in the list")


def test_roles_alone_may_be_allowed(wizard: Wizard, tmp_path: Path) -> None:
    is_refused(wizard("--channel", "general"), "--user is required")
    write_settings(tmp_path, '[discord]\nallowed_roles = ["123456789012345678"]\n')
    has_set_up(wizard("--channel", "general"))
    assert settings(tmp_path)["discord"]["allowed_users"] == []


def test_a_permission_that_lacks_in_a_channel_is_named(wizard: Wizard, server: PlaygroundServer) -> None:
    server.overwrite(ELSEWHERE_ID, BOT_ID, deny=(1 << 15) | (1 << 6), is_member=True)
    done = wizard("--channel", "elsewhere", "--user", "You")
    is_refused(done, "in #elsewhere the bot lacks Attach Files, Add Reactions: grant it there")
    has_set_up(wizard("--channel", "general", "--user", "You"))


@pytest.mark.slow
def test_a_permission_that_is_granted_meanwhile_is_seen(tmp_path: Path, server: PlaygroundServer) -> None:
    server.overwrite(ELSEWHERE_ID, BOT_ID, deny=1 << 15, is_member=True)
    typist = Typist(tmp_path, *places(server), secrets=(server.bot_token,))
    typist.expect("Token .hidden.*: ?$")
    typist.type(server.bot_token)
    typist.expect("elsewhere  .the bot lacks Attach Files.*Numbers or names")
    typist.type("elsewhere")
    typist.expect("in #elsewhere the bot lacks Attach Files.*Numbers or names")
    server.overwrite(ELSEWHERE_ID, BOT_ID, is_member=True)
    typist.type("elsewhere")
    typist.expect("the bot hears #elsewhere.*Your name.*: ?$")
    typist.interrupt()
    assert typist.end() == 130, typist.seen
    assert contents(tmp_path) == {}


def test_files_that_are_to_be_made_may_be_named_by_the_environment(wizard: Wizard, tmp_path: Path) -> None:
    write_settings(tmp_path, '[model]\nname = "hosted_vllm/not-to-be-read"\n')
    done = wizard(
        AGENT_CONFIG="conf/mine.toml",
        AGENT_SECRETS=str(tmp_path / "hidden" / "keys"),
        AGENT_SETUP_CHANNELS="general elsewhere",
        AGENT_SETUP_USERS=f"{YOU_ID} {GUEST_ID}",
        AGENT_SETUP_MODEL="offline",
        AGENT_SETUP_SERVICE="yes",
        HOME=str(tmp_path),
    )
    has_set_up(done)
    text = (tmp_path / "conf" / "mine.toml").read_text()
    assert f'channels = ["{GENERAL_ID}", "{ELSEWHERE_ID}"]' in text
    assert f'allowed_users = ["{YOU_ID}", "{GUEST_ID}"]' in text
    assert (tmp_path / "hidden" / "keys").read_text().startswith("DISCORD_BOT_TOKEN=")
    unit = (tmp_path / ".config/systemd/user/remembrancer.service").read_text()
    assert f"run --config {tmp_path}/conf/mine.toml\n" in unit
    assert f"Environment=AGENT_SECRETS={tmp_path}/hidden/keys\n" in unit
    assert f"agent run --config {tmp_path}/conf/mine.toml" in done.stdout


@pytest.mark.req("X-197")
def test_a_place_that_cannot_be_written_is_found_before_the_first_file(wizard: Wizard, tmp_path: Path) -> None:
    (tmp_path / ".config" / "systemd" / "user").mkdir(parents=True)
    (tmp_path / ".config" / "systemd" / "user" / "remembrancer.service").symlink_to(tmp_path / "aim")
    options = ("--channel", "general", "--user", "You", "--model", "offline", "--service")
    is_refused(wizard(*options, HOME=str(tmp_path)), "remembrancer.service: is a link")
    assert {path.name for path in tmp_path.iterdir()} == {".config"}
    assert not os.path.lexists(tmp_path / "secrets.env")
