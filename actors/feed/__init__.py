"""Feed: what happens lately, kept for whoever asks for it piece by piece: the operator, by way of his socket.

Read `actor.py`, then `ring.py` (how much is kept). Nothing here is written anywhere.
Pure: `ring.py`.
"""
