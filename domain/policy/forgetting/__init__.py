"""Forgetting: a person's rights to have words forgotten, and the buttons for a request.

Read `rights.py` first, then `buttons.py`. All pure.
"""
