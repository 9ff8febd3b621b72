"""Sentences by which servers refuse a request for its content, each with the public report that shows it."""

from __future__ import annotations

from domain.policy.refusal import Mend

LENGTHS: list[tuple[str, str, int | None]] = [
    ("openai", "This model's maximum context length is 4097 tokens, however you requested 4130 tokens", 4097),
    ("openai", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000", 272000),
    ("openai", "Your input exceeds the context window of this model. Please adjust your input and try again.", None),
    (
        "openai",
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a "
        "string with length 1260434 instead.",
        1048576,
    ),
    (
        "openai, fork-dev/TrackerWin#2595",
        "Request too large for gpt-4o in organization org-zQO on tokens per min (TPM): Limit 30000, Requested 132819. "
        "The input or output tokens must be reduced in order to run successfully.",
        30000,
    ),
    ("azure, smol-ai/developer#7", "maximum context length is 4097 tokens. Your messages resulted in 7575", 4097),
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
    ("kimi code, earendil-works/pi#129", "Your request exceeded model token limit: 8192 (requested: 9000)", 8192),
    (
        "gemini",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        1048576,
    ),
    (
        "litellm before openai, geldata/gel#7438",
        "litellm.ContextWindowExceededError: OpenAIException - Error code: 400 - {'error': {'message': \"This model's "
        'maximum context length is 8192 tokens, however you requested 20130 tokens"}}',
        8192,
    ),
    ("llama.cpp, lemonade-sdk/lemonade#3591", "input (992 tokens) is too large (current batch size: 512)", 512),
    ("tei, letta-ai/letta#1453", "`inputs` must have less than 512 tokens. Given: 516", 512),
    ("bedrock", "Input is too long for requested model.", None),
    ("bedrock", "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds", None),
    ("mistral", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32768),
    ("cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000", 4081),
    (
        "cohere, pydantic/pydantic-ai#4221",
        "too many tokens: size limit exceeded by 19296 tokens. Try using shorter or fewer inputs. The limit for this "
        "model is 132000 tokens.",
        132000,
    ),
    ("groq", "Please reduce the length of the messages or completion.", None),
    ("cerebras, BerriAI/litellm", "Please reduce the length. Current length is 9000 while limit is 8192", 8192),
    ("zhipu", '{"error":{"code":"1261","message":"Prompt exceeds max length"}}', None),
    ("minimax", "invalid params, context window exceeds limit (2013)", None),
    ("tgi", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", 4096),
    ("fireworks", "The prompt is too long: 9000, model maximum context length: 8191", 8191),
    ("vllm", "The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096),
    (
        "vllm, earendil-works/pi#5929",
        "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt "
        "contains at least 262145 input tokens, for a total of at least 262145 tokens. (parameter=input_tokens)",
        262144,
    ),
    (
        "vllm",
        "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens"
        " and your request has 2104 input tokens (2000 > 4096 - 2104).",
        4096,
    ),
    ("sglang", "The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096),
    (
        "openai-compatible, earendil-works/pi#5677",
        "Input length (265330) exceeds model's maximum context length (262144).",
        262144,
    ),
    (
        "poolside, earendil-works/pi#4943",
        "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
        131040,
    ),
    ("atlas, 0xBakeer/inference-atlas#186", "Prompt too long: 5152 tokens exceeds max_seq_len 2048 (leave room)", 2048),
    ("llama.cpp", "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
    (
        "llama.cpp, ggml-org/llama.cpp#15780",
        '{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context '
        'size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":512}}',
        512,
    ),
    (
        "llama.cpp, ggml-org/llama.cpp#9544",
        "Input is too large to process. Either enable context shift or increase",
        None,
    ),
    ("llama-box, gpustack/llama-box#25", "input prompt is too big compared to KV size, please increase KV size", None),
    ("ollama", "prompt too long; exceeded max context length by 100 tokens", None),
    ("lm studio", "the model is loaded with context length of only 4096 tokens, which is not enough", 4096),
    (
        "lm studio, lmstudio-ai/lmstudio-bug-tracker#546",
        "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context "
        "length of only 32768 tokens, which is not enough.",
        32768,
    ),
    ("lm studio", "The number of tokens to keep from the initial prompt is greater than the context length", None),
    ("tabbyapi", "Prompt length 5000 is greater than max_seq_len 4096", 4096),
    ("copilot", "prompt token count of 140000 exceeds the limit of 128000", 128000),
    ("github models, cline/cline#995", "Request body too large for gpt-4o model. Max size: 8000 tokens.", 8000),
    (
        "kronk, ardanlabs/kronk#862",
        "unable to process request: the context window is full. Please reduce the input",
        None,
    ),
    (
        "sail, letta-ai/letta",
        "The request was rejected. Possible causes: input exceeds the model's maximum context length",
        None,
    ),
    (
        "openrouter",
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 132463",
        131072,
    ),
    ("copilot", "model_max_prompt_tokens_exceeded", None),
    ("moonshot", "The length of tokens in the request is too long", None),
    ("gemini", "Your input context is too long.", None),
    ("minimax", '{"status_code":1039,"status_msg":"token limit"}', None),
    ("siliconflow", "输入长度超过限制", None),
    ("qianfan", "prompt tokens too long", None),
    ("zhipu", "Token数量超过上限", None),
]
"""Server and report, words, and the limit in them."""

UNSEEN_LENGTHS = [
    "The conversation no longer fits: it does not fit into the model's context.",
    "Sequence length 9001 is over the limit: maximum sequence length 8192",
    "Your chat history is too big for this deployment",
    "Sorry, that prompt won't fit in the window",
    "We accept up to 4096 tokens",
    "error: prompt overflow",
    "Please use fewer messages or a shorter prompt",
    "total tokens must be less than 16384",
    "a request may hold no more than 8000 tokens",
    "the context limit has been reached",
    "prompt_too_long",
    "入力トークン数が上限を超えています",
    "对话内容过长，请开启新对话",
]
"""Of no server that is known: the rules read them all the same."""

PICTURES: list[tuple[str, str, int | None]] = [
    # the report; the words; the most pictures in later requests, None if only these pictures were bad
    ("anthropics/claude-code#25592", '{"type":"invalid_request_error","message":"Could not process image"}', None),
    (
        "anthropics/claude-code#52220",
        "messages.88.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size "
        "for many-image requests: 2000 pixels",
        None,
    ),
    (
        "anthropic",
        "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6144000 bytes > 5242880 bytes",
        None,
    ),
    (
        "LaoshuBaby/liulianmao#11",
        "messages.0.content.1.image.source.base64: The image was specified using the image/jpeg media type, but the "
        "image appears to be a image/png image",
        None,
    ),
    ("openai/codex#6774", "The image data you provided does not represent a valid image", None),
    ("openai", "You uploaded an unsupported image. Please make sure your image is valid.", None),
    ("pictaria-ai/pictaria-server#4", "Unable to process input image. Please retry or report", None),
    ("pictaria-ai/pictaria-server#4", "Provided image is not valid.", None),
    ("MoonshotAI/kimi-code#1082", "failed to decode image", None),
    ("can1357/oh-my-pi#2922", "Failed to load image or audio file", None),
    ("ogkalu2/comic-translate#399", "Unsupported MIME type: image/jpg", None),
    (
        "musistudio/claude-code-router#845",
        "Invalid value at 'contents[0].parts[2].inline_data.data' (TYPE_BYTES), Base64 decoding failed",
        None,
    ),
    ("anomalyco/opencode#24364", "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", None),
    ("alibaba/spring-ai-alibaba#321", '{"code":"InvalidParameter","message":"url error, please check url!"}', None),
    (
        "pydantic/pydantic-ai, vertex",
        "Cannot fetch content from the provided URL. Please ensure the URL is valid",
        None,
    ),
    ("nexu-io/nexu#733", "No endpoints found that support image input", 0),
    ("DayuanJiang/next-ai-draw-io#55", "unknown variant `image_url`, expected `text`", 0),
    ("ollama/ollama#17301", "this model does not support image input (ref: b8bd630e)", 0),
    ("ggml-org/llama.cpp#13566", "image input is not supported by this server", 0),
    ("ggml-org/llama.cpp#15377", "image input is not supported - hint: you may need to provide the mmproj", 0),
    ("lmstudio-ai/lmstudio-bug-tracker#362", "Model does not support images. Please use a model that does.", 0),
    ("zai-org/feedback#570", "Model do not support image input.", 0),
    ("browser-use/web-ui#274", "Invalid content type. image_url is only supported by certain models.", 0),
    ("mostlygeek/llama-swap#118", 'Failed to parse messages: Unsupported content part type: "image_url"', 0),
    ("FlashML-org/FreeToken#272", "Unsupported content part type for text-only server: image_url", 0),
    ("pydantic/pydantic-ai, bedrock", "This model doesn't support the image content block that you provided.", 0),
    ("vllm", "test is not a multimodal model", 0),
    (
        "groq",
        "'messages.1' : for 'role:user' the following must be satisfied[('messages.1.content' : value must be a string)]",
        0,
    ),
    ("siliconflow", "该模型不支持图片输入", 0),
    ("vllm-project/vllm#13397", "At most 1 image(s) may be provided in one request.", 1),
    ("groq", "Too many images provided. This model supports up to 5 images", 5),
    ("bedrock", "Too many images and documents in conversation: 25. The maximum number of images allowed is 20", 20),
]

ROLES = [
    ("microsoft/autogen#1037", "Conversation roles must alternate user/assistant/user/assistant/..."),
    ("sipeed/picoclaw#207", "After the optional system message, conversation roles must alternate user and assistant"),
    (
        "mistralai/mistral-vibe#1006",
        "While executing CallExpression at line 189, column 32 in source: Error: Jinja Exception: After the optional "
        "system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
    ),
    (
        "coaidev/coai#209",
        'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    ),
    (
        "FoundationAgents/OpenManus#580",
        "After the (optional) system message(s), user and assistant roles should be alternating.",
    ),
    ("langchain-ai/langchain-aws#130", "A conversation must alternate between user and assistant roles."),
    ("charmbracelet/crush#279", "Unexpected role 'tool' after role 'user'"),
    ("langgenius/dify#12340", "A conversation must start with a user message. Try again with such a conversation."),
    ("mistral", "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"),
    (
        "deepseek",
        "deepseek-reasoner does not support successive user or assistant messages (messages[1] and [2] in a row)",
    ),
    ("gemini", "Please ensure that function call turn comes immediately after a user turn; roles must be in order"),
]

SYSTEMS = [
    ("anomalyco/opencode#5034", "Only user, assistant and tool roles are supported, got system"),
    (
        "pydantic/pydantic-ai, o1-mini",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    ),
    ("gemma", "System role not supported"),
    ("gemini", "Developer instruction is not enabled for models/gemma-3-27b-it"),
]

EMPTIES = [
    ("nick1udwig/kibitz#87", "messages: text content blocks must contain non-whitespace text"),
    (
        "anthropic",
        "messages.4: all messages must have non-empty content except for the optional final assistant message",
    ),
    ("bedrock", "The text field in the ContentBlock object at messages.1.content.0 is blank. Add text, and try again."),
    ("mistral", "Assistant message must have either content or tool_calls."),
]

FINAL = [
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy",
    "Your request was flagged as potentially violating our usage policy",
    "Input data may contain inappropriate content. (DataInspectionFailed)",
    "registry.ollama.ai/library/gemma:2b does not support tools",
]

OTHERS = [
    ("MoonshotAI/kimi-code#3087: a picture is refused with these words", "Invalid request."),
    ("bedrock, jin-bo/agentao#88", "ThrottlingException: Too many tokens, please wait before trying again."),
    (
        "openai",
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 25000, Requested 8000. Try again.",
    ),
    ("diffbot/code-gpt-docs#284", "max_tokens is too large: 6000. This model supports at most 4096 completion tokens"),
    ("openai", "Unsupported parameter: 'temperature' is not supported with this model."),
    ("plain", "Internal Server Error"),
    ("plain", "upstream connect error or disconnect/reset before headers. reset reason: overflow"),
    ("openai", "The server had an error while processing your request. Sorry about that!"),
    ("anthropic", "Overloaded"),
    ("ollama", "server busy, please try again. maximum pending requests exceeded"),
    ("a proxy in Go", "context deadline exceeded"),
    ("a proxy", "The request exceeded the maximum time"),
    ("openai", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got 5 instead."),
]
"""Words that name no part of the request, and so no mend."""

UNSEEN = [
    ("Vision is disabled for this deployment", Mend.PICTURES),
    ("This deployment is text only", Mend.PICTURES),
    ("Attachments of type image are rejected", Mend.PICTURES),
    ("unable to read the photo", Mend.PICTURES),
    ("1 validation error: messages.1.content str type expected", Mend.PICTURES),
    ("user message cannot follow another user message", Mend.ROLES),
    ("successive messages must have different roles", Mend.ROLES),
    ("expected assistant, got user", Mend.ROLES),
    ("this model has no slot for it: system prompts are not supported", Mend.SYSTEM),
    ("message 3: content cannot be blank", Mend.EMPTY),
]
"""The same for the other parts."""
