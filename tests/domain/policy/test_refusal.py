"""Words of refusals as servers and providers send them."""

from __future__ import annotations

import pytest

from domain.policy.refusal import Mend, read_refusal

LENGTHS = [
    ("openai", "This model's maximum context length is 4097 tokens, however you requested 4130 tokens", 4097),
    ("openai", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000", 272000),
    ("openai", "Your input exceeds the context window of this model. Please adjust your input and try again.", None),
    ("anthropic, stackblitz/bolt.new#2449", "prompt is too long: 202095 tokens > 200000 maximum", 200000),
    (
        "anthropic, stackblitz/bolt.new#7414",
        "input length and max_tokens exceed context limit: 90402 + 116650 > 204648, decrease input length",
        204648,
    ),
    ("xai, cline/cline#3120", "This model's maximum prompt length is 131072 but the request contains 136973", 131072),
    ("dashscope, QwenLM/qwen-code#98", "InvalidParameter: Range of input length should be [1, 204800]", 204800),
    ("volcano ark, langgenius/dify#32221", "Input length 203743 exceeds the maximum length 202752", 202752),
    ("ds4, antirez/ds4#150", "Prompt tokens (5000) exceeds context size (4096)", 4096),
    ("moonshot", "Invalid request: Your request exceeded model token limit: 8192", 8192),
    (
        "gemini",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        1048576,
    ),
    ("bedrock", "Input is too long for requested model.", None),
    ("mistral", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32768),
    ("cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000", 4081),
    ("groq", "Please reduce the length of the messages or completion.", None),
    ("zhipu", '{"error":{"code":"1261","message":"Prompt exceeds max length"}}', None),
    ("minimax", "invalid params, context window exceeds limit (2013)", None),
    ("tgi", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", 4096),
    ("fireworks", "The prompt is too long: 9000, model maximum context length: 8191", 8191),
    ("vllm", "The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096),
    ("sglang", "The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096),
    ("llama.cpp", "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
    ("ollama", "prompt too long; exceeded max context length by 100 tokens", None),
    ("lm studio", "the model is loaded with context length of only 4096 tokens, which is not enough", 4096),
    ("tabbyapi", "Prompt length 5000 is greater than max_seq_len 4096", 4096),
    ("copilot", "prompt token count of 140000 exceeds the limit of 128000", 128000),
]


@pytest.mark.parametrize(("server", "words", "limit"), LENGTHS)
def test_the_length_and_its_limit_are_read(server: str, words: str, limit: int | None) -> None:
    refusal = read_refusal(words)
    assert Mend.HISTORY in refusal.mends, server
    assert refusal.limit_tokens == limit, server


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        # anthropics/claude-code#25592: each later message fails too
        ('{"type":"invalid_request_error","message":"Could not process image"}', Mend.PICTURES),
        # openai/codex#6774
        ("The image data you provided does not represent a valid image", Mend.PICTURES),
        # nexu-io/nexu#733
        ("No endpoints found that support image input", Mend.PICTURES),
        # DayuanJiang/next-ai-draw-io#55
        ("unknown variant `image_url`, expected `text`", Mend.PICTURES),
        # microsoft/autogen#1037
        ("Conversation roles must alternate user/assistant/user/assistant/...", Mend.ROLES),
        # sipeed/picoclaw#207
        ("After the optional system message, conversation roles must alternate user and assistant", Mend.ROLES),
        # anomalyco/opencode#5034
        ("Only user, assistant and tool roles are supported, got system", Mend.SYSTEM),
        # nick1udwig/kibitz#87
        ("messages: text content blocks must contain non-whitespace text", Mend.EMPTY),
    ],
)
def test_the_refused_part_is_read(words: str, mend: Mend) -> None:
    assert read_refusal(words).mends == {mend}


def test_unknown_words_name_nothing() -> None:
    """MoonshotAI/kimi-code#3087: a picture is refused with these words."""
    assert read_refusal("Invalid request.").mends == frozenset()


@pytest.mark.parametrize(
    "words",
    [
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy",
        "Your request was flagged as potentially violating our usage policy",
        "Input data may contain inappropriate content. (DataInspectionFailed)",
        "registry.ollama.ai/library/gemma:2b does not support tools",
    ],
)
def test_a_refusal_of_what_was_said_or_of_tools_is_final(words: str) -> None:
    refusal = read_refusal(words)
    assert refusal.is_final
    assert refusal.mends == frozenset()
