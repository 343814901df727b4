"""The official Python client while packages change: the names of the tools before and after, as JSON on stdout.

usage: changes.py [FILE OLD NEW]… -- SERVER…
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ToolListChangedNotification


async def main(arguments):
    at = arguments.index("--")
    edits, (command, *rest) = arguments[:at], arguments[at + 1 :]
    changed = asyncio.Queue()

    async def heard(message):
        message = getattr(message, "root", message)
        if isinstance(message, ToolListChangedNotification):
            changed.put_nowait(message)

    async def names(session):
        return sorted(tool.name for tool in (await session.list_tools()).tools)

    parameters = StdioServerParameters(command=command, args=rest)
    async with stdio_client(parameters) as (reader, writer):
        async with ClientSession(reader, writer, message_handler=heard) as session:
            await session.initialize()
            seen = [await names(session)]
            for file, old, new in zip(*[iter(edits)] * 3):
                replaced(file, old, new)
                await changed.get()
                seen.append(await names(session))
    print(json.dumps(seen))


def replaced(file, old, new):
    with open(file, encoding="utf-8") as source:
        text = source.read()
    assert old in text, old
    with open(file, "w", encoding="utf-8") as target:
        target.write(text.replace(old, new))


asyncio.run(main(sys.argv[1:]))
