from click.testing import CliRunner

from cli_aos.parcel import runtime
from cli_aos.parcel.cli import cli


def test_health(monkeypatch):
    monkeypatch.setattr("cli_aos.parcel.config.token", lambda: "x")
    assert runtime.health()["status"] == "ready"
    assert CliRunner().invoke(cli, ["--json", "health"]).exit_code == 0
