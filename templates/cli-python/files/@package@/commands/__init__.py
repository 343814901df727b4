"""The commands. Those on items and projects are examples, and yours to replace."""
