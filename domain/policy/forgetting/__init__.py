"""Forgetting: whose words a person may have forgotten, and the buttons that do it.

Read `rights.py` first, then `buttons.py`. All pure.
"""
