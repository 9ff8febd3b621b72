"""Reading of messages: by which names, what a thread was begun from, and what was taken back.

Read first `names.py` (names of people, channels and roles), second `starter.py` (messages that threads were begun
from), third `withdrawn.py` (deleted and edited messages). Words themselves are a matter of `domain/turn/discord`.
Calls to Discord: only for names of authors in history, and for the starter of a thread that no event told.
"""
