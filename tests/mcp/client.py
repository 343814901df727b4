"""The official Python client against a server: what it saw, as JSON on stdout."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(command, arguments):
    parameters = StdioServerParameters(command=command, args=arguments)
    seen = {"progress": []}

    async def progress(done, total, message):
        seen["progress"].append(message)

    async with stdio_client(parameters) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            seen["tools"] = {tool.name: plain(tool) for tool in tools}
            called = await session.call_tool(
                "count", {"text": "abc"}, progress_callback=progress
            )
            seen["result"] = plain(called)
            seen["error"] = plain(await session.call_tool("refuse", {"text": "x"}))
            seen["invalid"] = plain(await session.call_tool("echo", {"text": 1}))
            try:
                await session.call_tool("none", {})
            except Exception as error:
                seen["unknown"] = str(error)
    print(json.dumps(seen))


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


asyncio.run(main(sys.argv[1], sys.argv[2:]))
