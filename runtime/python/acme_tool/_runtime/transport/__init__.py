"""HTTP within limits: every wait ends, every answer is bounded, every failure has a code.

`address` says which addresses may be opened, `limits` how long to wait, `http` makes
one request, `faults` says what an answer, or the lack of one, means. The client of the
upstream and the updater both go through here, so that status, code and exit agree.
"""
