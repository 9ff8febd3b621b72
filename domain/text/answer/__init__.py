"""Answers of models: the meaning of a server's answer, independent of the provider's form.

Read `stream.py` first (bytes as they arrive, split by `events.py`, decoded by `chunk.py` and put together by
`assembly.py`; for the agent and the gateway), then `reading.py` (one function makes a `Completion` of every answer),
`thoughts.py` (the part of a text that is thinking), `written_call.py` (a tool call written as text, from
JSON in `json_call.py` or from markup), `slip.py` with `skill_call.py` (calls among words, and of skills), and
`ending.py` (the reason for an answer's end, and the words about the end for people). All pure.
"""
