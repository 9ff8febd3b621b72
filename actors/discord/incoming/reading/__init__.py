"""Reading of messages: names, starters of threads, and retractions.

Read first `names.py` (names of people, channels and roles), second `starter.py` (first messages of threads), third
`withdrawn.py` (deleted and edited messages). Words themselves are a matter of `domain/turn/discord`. Calls to
Discord: only for names of authors in history, and for the starter of a thread that no event told.
"""
