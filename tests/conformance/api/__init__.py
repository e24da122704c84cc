"""Conversations with an API server, recorded from a real one and compared with ours.

`cases/*.yaml` say what is asked; `python -m tests.conformance.api.record` asks a real server and
writes the answers into `recorded/`. The format of the cases is in model.py.
"""
