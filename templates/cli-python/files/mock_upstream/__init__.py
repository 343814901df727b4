"""The example upstream: a small REST API in memory, for tests and for trying the tool.

It is not part of the wheel. It is yours as well: when your API takes the place of the
example, teach it here, so that the tests keep covering paging, conflicts, refusals and
trouble without a network. Run it with `python -m mock_upstream`.
"""
