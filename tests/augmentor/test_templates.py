"""The packages of both templates, put together without aos: the parts that no answer changes."""

from __future__ import annotations

import shutil
from pathlib import Path

from host import ROOT
from judge import Judge

TEMPLATES = ROOT / "templates"
MODULES = ROOT / "src" / "families" / "augmentor" / "module"
MANIFEST = """\
name = "sample"
version = "0.1.0"
entry = "{entry}"
runtime = "{runtime}"
caps = ["command", "agent", "stream"]

[permissions]
filesystem = "read"
"""


def test_the_package_of_the_templates_conforms(runtime: str, tmp_path: Path) -> None:
    # The template for Node has these files too: `base` of its template.toml.
    files = TEMPLATES / "augmentor-python" / "files"
    shutil.copytree(files / "tests", tmp_path / "tests")
    if runtime == "python":
        target = tmp_path / "src" / "sample"
        shutil.copytree(files / "src" / "@package@", target)
        shutil.copy(MODULES / "interface.py", target / "contract_gen.py")
        entry = "sample.factory"
    else:
        target = tmp_path / "src"
        target.mkdir()
        for file in files.glob("src/*.js"):
            shutil.copy(file, target)
        shutil.copy(MODULES / "interface.mjs", target / "contract_gen.js")
        (tmp_path / "package.json").write_text('{"type": "module"}\n')
        entry = "src/index.factory"
    manifest = MANIFEST.format(entry=entry, runtime=runtime)
    (tmp_path / "augmentor.toml").write_text(manifest)
    assert Judge(tmp_path, runtime).judge() == {}
