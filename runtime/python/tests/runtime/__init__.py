"""The tests: they run the real program, against servers on this machine alone."""
