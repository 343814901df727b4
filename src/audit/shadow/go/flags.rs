//! Flags of the go command that put other files, another compiler or another `go.mod` in place of those of the project.

use crate::contract::Finding;

use super::super::pattern::regex;
use super::super::scripts::is_script;
use crate::audit::shadow::module::GeneratedModule;

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    for (path, text) in module.others(&[""]).filter(|(path, _)| is_script(module, path)) {
        if let Some(at) = flag(text).or_else(|| variable(text)) {
            let mut finding = module.shadowed(
                path,
                "a flag makes Go build with other files or another compiler, which can replace",
            );
            finding.line = Some(crate::audit::shadow::module::line(text, at));
            found.push(finding);
        }
    }
}

/// Returns the position of a flag of the go command that replaces the code that it builds.
fn flag(text: &str) -> Option<usize> {
    if !["overlay", "toolexec", "modfile"].iter().any(|name| text.contains(name)) {
        return None;
    }
    let given =
        regex(r#"(?:^|[\s"'=,\[(:`])(--?)(overlay|toolexec|modfile)(?:[\s="',\])`]|$)"#).ok()?;
    given.captures_iter(text).find_map(|captures| {
        let at = captures.get(1)?.start();
        let line = logical_line(text, at);
        let first = line.trim_start();
        if ["#", "//"].iter().any(|comment| first.starts_with(comment)) {
            return None;
        }
        let of_go =
            line.contains("GOFLAGS") || regex(r"\bgo[\s\x22']").is_ok_and(|go| go.is_match(line));
        // Other tools have long flags of the same names. Another go.mod is usual for tools of the developer.
        let is_other = &captures[1] == "--" && !of_go;
        let of_tools =
            regex(r"\bgo\s+(?:tool|get|mod|install|list)\b").is_ok_and(|go| go.is_match(line));
        let is_usual = &captures[2] == "modfile" && of_tools;
        (!is_other && !is_usual).then_some(at)
    })
}

/// Returns the position of a variable of the go command that leads to a toolchain or a setting in the project.
fn variable(text: &str) -> Option<usize> {
    if !["GOROOT", "GOTOOLDIR", "GOENV", "GOWORK"].iter().any(|name| text.contains(name)) {
        return None;
    }
    let place = r"(?:\./|\.\./|\$\(CURDIR\)|\$\(PWD\)|\$\{?PWD\b|\$\{\{\s*github\.workspace)";
    let given = regex(&format!(
        r#"\b(?:GOROOT|GOTOOLDIR|GOENV|GOWORK)["']?\s*(?:[:?+]?=|:)\s*["']?{place}"#
    ))
    .ok()?;
    let mut found = given.find_iter(text).filter(|found| {
        let line = logical_line(text, found.start()).trim_start();
        !["#", "//"].iter().any(|comment| line.starts_with(comment))
    });
    found.next().map(|found| found.start())
}

/// The line around `at`, with those that a backslash joins to it.
fn logical_line(text: &str, at: usize) -> &str {
    let mut start = at;
    loop {
        start = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let above = text[..start].trim_end_matches(['\n', '\r']);
        if start == 0 || !above.ends_with('\\') {
            break;
        }
        start = above.len();
    }
    let mut end = at;
    loop {
        end += text[end..].find('\n').unwrap_or(text.len() - end);
        if end >= text.len() || !text[..end].trim_end_matches('\r').ends_with('\\') {
            return &text[start..end];
        }
        end += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_of_the_project_is_found_and_one_of_the_machine_is_not() {
        for text in [
            "GOROOT := $(CURDIR)/alt\n",
            "\tGOROOT=./alt go build ./...\n",
            "env:\n  GOROOT: ${{ github.workspace }}/alt\n",
            "export GOENV=\"./go.env\"\n",
            "ENV GOWORK=../other/go.work\n",
        ] {
            assert!(variable(text).is_some(), "{text}");
        }
        for text in [
            "GOROOT := $(shell go env GOROOT)\n",
            "GOWORK=off go test ./...\n",
            "# GOROOT=./alt\n",
            "cp $(GOROOT)/misc/wasm/wasm_exec.js ./web\n",
            "echo GOROOT is ./x\n",
        ] {
            assert_eq!(variable(text), None, "{text}");
        }
    }

    #[test]
    fn flags_that_replace_what_go_builds_are_found_wherever_they_are() {
        for text in [
            "go build -overlay=o.json ./...\n",
            "\tgo build \\\n\t\t-overlay o.json ./...\n",
            "FLAGS := -overlay o.json\n",
            "    flags:\n      - -trimpath\n      - -overlay=o.json\n",
            "flags: [-trimpath, -overlay=o.json]\n",
            "\tgo build -toolexec=./swap.sh ./...\n",
            "\tgo build -modfile=alt.mod ./...\n",
            "GOFLAGS=--modfile=alt.mod\n",
            "spawn(\"go\", [\"build\", \"-toolexec\", \"./x\"])\n",
            "go build --overlay o.json\n",
        ] {
            assert!(flag(text).is_some(), "{text}");
        }
        for text in [
            "# go build -overlay=o.json\n",
            "nix build --overlay o.nix\n",
            "go tool -modfile=tools.mod lint\n",
            "go get -tool -modfile=tools.mod example.com/x\n",
            "an-overlay=1\nx --overlay-path y\n",
            "kustomize: overlay\n",
        ] {
            assert_eq!(flag(text), None, "{text}");
        }
    }
}
