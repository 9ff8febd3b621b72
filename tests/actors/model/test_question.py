"""Questions for routes: the same for the same answer, and without any key."""

from __future__ import annotations

import pytest

from actors.model.question import address_for, question_for

ENVIRONMENT = {
    "OPENAI_API_KEY": "sk-very-secret",
    "HF_TOKEN": "hf-very-secret",
    "AWS_SECRET_ACCESS_KEY": "aws-very-secret",
    "DISCORD_BOT_TOKEN": "bot-very-secret",
    "DATABASE_PASSWORD": "db-very-secret",
    "OPENAI_BASE_URL": "https://proxy.example/v1",
    "PATH": "/bin",
}


@pytest.mark.req("X-151")
def test_a_question_holds_the_names_of_keys_and_no_key() -> None:
    question = question_for("openai/x", "", ["OPENAI_API_KEY", "no name"], ENVIRONMENT)

    assert "very-secret" not in repr(question)
    assert question.key_names == ("OPENAI_API_KEY",)
    assert dict(question.environment)["OPENAI_BASE_URL"] == "https://proxy.example/v1"
    assert {"OPENAI_API_KEY", "HF_TOKEN", "PATH"} < dict(question.environment).keys()
    assert "DATABASE_PASSWORD" not in dict(question.environment)


@pytest.mark.parametrize("base", ["http://127.0.0.1:1/v1", "http://[::1]:2/v1", "http://10.0.0.7/a/b/v1"])
def test_servers_of_ones_own_are_one_question(base: str) -> None:
    question = question_for("hosted_vllm/x", base, [], {})

    assert question == question_for("hosted_vllm/x", "http://127.0.0.9:9/v1", [], {})
    assert question == question_for("hosted_vllm/x", "http://192.168.0.1:7/v1", [], {})
    assert address_for(f"{question.api_base}/chat/completions", base) == f"{base}/chat/completions"


@pytest.mark.parametrize(
    "base", ["https://api.openai.com/v1", "http://gpu-box:8000/v1", "http://127.0.0.1:8000/api", "nonsense", ""]
)
def test_other_servers_are_asked_about_by_their_addresses(base: str) -> None:
    question = question_for("hosted_vllm/x", base, [], {})

    assert question.api_base == base
    assert address_for(f"{base}/chat/completions", base) == f"{base}/chat/completions"
