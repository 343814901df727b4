"""Commands that come from a table of the operations of an API.

The table is data and the user's. This directory reads it, makes the commands, writes the
requests as the table describes them, and reads the replies.
"""
