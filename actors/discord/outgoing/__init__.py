"""Output to channels: texts, running answers, files, reactions, the typing indicator.

Read first `outbox.py` (each channel's texts in order, each once), then `live.py` (an answer while it is written), then
`channel_messages.py`, the only writer of messages in channels. `sending.py` uploads files, `reactions.py` and
`typing_indicator.py` show signs that never matter enough to fail for; `signs.py` alone writes where they stand. Pure:
`redaction`, through which all words go.
"""
