"""The commands: one module per resource, one function per command."""
