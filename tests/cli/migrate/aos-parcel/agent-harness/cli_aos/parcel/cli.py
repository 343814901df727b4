"""The command line."""

import json
import sys
from datetime import datetime, timezone

import click

from cli_aos.parcel import __version__, config, runtime

SCHEMA = "1.0"


def _meta(mode):
    stamp = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"mode": mode, "duration_ms": 0, "timestamp": stamp, "version": __version__}


def _answer(ctx, command, data):
    mode = ctx.obj["mode"]
    if not runtime.allowed(command, mode):
        needed = runtime.required_mode(command)
        error = {"code": "PERMISSION_DENIED", "message": f"needs {needed}"}
        click.echo(json.dumps({"ok": False, "tool": "aos-parcel", "command": command, "error": error, "meta": _meta(mode)}))
        sys.exit(3)
    click.echo(json.dumps({"ok": True, "tool": "aos-parcel", "command": command, "data": data(), "meta": _meta(mode)}))


@click.group()
@click.option("--json", "as_json", is_flag=True)
@click.option("--mode", default="readonly", type=click.Choice(runtime.MODES))
@click.option("--verbose", is_flag=True)
@click.version_option(__version__)
@click.pass_context
def cli(ctx, as_json, mode, verbose):
    ctx.obj = {"mode": mode, "json": as_json, "verbose": verbose}


@cli.command("capabilities")
@click.pass_context
def capabilities(ctx):
    def data():
        manifest = runtime.manifest()
        return {**manifest, "version": __version__, "modes": runtime.MODES}

    _answer(ctx, "capabilities", data)


@cli.command("health")
@click.pass_context
def health(ctx):
    _answer(ctx, "health", runtime.health)


@cli.group("config")
def config_group():
    pass


@config_group.command("show")
@click.pass_context
def config_show(ctx):
    _answer(ctx, "config.show", config.describe)


@cli.group("parcel")
def parcel():
    pass


@parcel.command("get")
@click.option("--number", required=True)
@click.option("--verbose", "note", default="")
@click.pass_context
def parcel_get(ctx, number, note):
    _answer(ctx, "parcel.get", lambda: {"id": number, "note": note})


if __name__ == "__main__":
    cli()
