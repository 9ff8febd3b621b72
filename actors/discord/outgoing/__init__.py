"""Output to channels: texts, running answers, files, reactions, the typing indicator.

Read first `outbox.py` (each channel's texts in order, each once), then `live.py` (an answer while it is written), then
`channel_messages.py`, the only writer of messages in channels. `sending.py` uploads files, `reactions.py` and
`typing_indicator.py` show signs of minor importance, whose failures are ignored; `signs.py` alone writes their
places. Pure: `redaction`, applied to all words.
"""
