"""The commands of this tool, one file for each group."""
