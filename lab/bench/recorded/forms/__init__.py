"""Forms of APIs: each module reads a request as a talk and an answer as an outcome, from the API's documented fields.

Read `chat.py` first. A form raises `LeftOutError` for a request that the agent never makes, with the reason.
Pure.
"""
