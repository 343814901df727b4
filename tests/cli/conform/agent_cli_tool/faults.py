"""The promises that this copy of the tool breaks."""

FAULTS = set()
