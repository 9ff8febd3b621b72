"""Answers of models: the meaning of what a server sent, whatever form its provider has for it.

Read `stream.py` first (bytes as they come, which `events.py` splits and `chunk.py` decodes, put together by
`assembly.py`; for the agent and the gateway), then `reading.py` (one function makes a `Completion` of every answer),
`thoughts.py` (which part of a text is thinking), `written_call.py` (a call of a tool that a model wrote as text, from
JSON in `json_call.py` or from markup), `slip.py` with `skill_call.py` (calls among words, and of skills), and
`ending.py` (why an answer ended, and the words about it for people). All pure.
"""
