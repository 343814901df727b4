//! Settings of a build that install another directory under the name of the package.

use toml_edit::{Document, Item, TableLike};

use crate::contract::Finding;
use crate::contract::repository::is_below;

use super::super::pattern::regex;
use crate::audit::shadow::module::{GeneratedModule, join};

/// Names of tables that map packages or files to places, in any build tool.
const MAPPINGS: &[&str] = &["package-dir", "package_dir", "sources", "force-include"];
/// Deepest table that is read.
const MAX_DEPTH: usize = 12;

/// Settings that map the package of the module to another directory.
pub fn mapped(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    for (path, text) in module.others(&["pyproject.toml", "setup.py", "setup.cfg"]) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let inner = match directory {
            "" => Some(module.directory),
            above => module.directory.strip_prefix(above).and_then(|inner| inner.strip_prefix('/')),
        };
        let Some(inner) = inner.filter(|inner| !inner.is_empty()) else { continue };
        let package = PackageMapping::of(module, directory, inner);
        let is_mapped = match name {
            "pyproject.toml" => package.in_toml(text),
            "setup.py" | "setup.cfg" => package.in_text(text),
            _ => false,
        };
        if is_mapped {
            found
                .push(module.shadowed(path, "an installation uses another directory than that of"));
        }
    }
}

/// The outermost package that holds the module, and where it is, from the directory of the build.
struct PackageMapping<'a> {
    name: &'a str,
    place: &'a str,
    /// Its files, from that directory.
    files: Vec<&'a str>,
}

impl<'a> PackageMapping<'a> {
    fn of(module: &GeneratedModule<'a>, base: &str, inner: &'a str) -> Self {
        let ends = inner.match_indices('/').map(|(end, _)| end).chain([inner.len()]);
        let place = ends.map(|end| &inner[..end]).find(|place| {
            let directory = join(base, place);
            module.repository.holds(&format!("{directory}/__init__.py"))
        });
        let place = place.unwrap_or(inner);
        let directory = format!("{}/", join(base, place));
        let files = module.repository.files.keys();
        let files = files.filter_map(|path| path.strip_prefix(&directory)).collect();
        Self { name: place.rsplit('/').next().unwrap_or(place), place, files }
    }

    /// True if `key = value` says that the package is elsewhere. Setuptools puts the name first, others the directory.
    fn is_elsewhere(&self, key: &str, value: &str) -> bool {
        let [key, value] =
            [key, value].map(|path| path.trim_start_matches("./").trim_end_matches('/'));
        if key.is_empty() {
            let value = if value == "." { "" } else { value };
            return join(value, self.name) != self.place;
        }
        let names_it = |path: &str| {
            let path = path.replace('.', "/");
            path == self.name || path.starts_with(&format!("{}/", self.name))
        };
        let inner =
            |path: &str| path.split_once(['.', '/']).map_or("", |(_, inner)| inner).to_owned();
        let right =
            |named: &str| join(self.place, &inner(named)).trim_end_matches('/').replace('.', "/");
        if names_it(key) && !key.contains('/') {
            return value.replace('.', "/") != right(key) && value != self.place;
        }
        // Data may be added to the package; what is there already, and code, must come from it.
        let added = inner(value);
        let is_own = added.is_empty()
            || value.ends_with(".py")
            || self.files.iter().any(|file| *file == added || is_below(file, &added));
        names_it(value) && is_own && key.replace('.', "/") != right(value)
    }

    fn in_toml(&self, text: &str) -> bool {
        let Ok(document) = Document::parse(text) else { return false };
        let tool = document.as_item().get("tool").and_then(Item::as_table_like);
        tool.is_some_and(|tool| self.in_table(tool, 0))
    }

    fn in_table(&self, table: &dyn TableLike, depth: usize) -> bool {
        depth < MAX_DEPTH
            && table.iter().any(|(name, item)| {
                if let (true, Some(text)) = (MAPPINGS.contains(&name), item.as_str()) {
                    return self.is_elsewhere("", text);
                }
                let packages = item.as_array().filter(|_| name == "packages");
                let from = packages.into_iter().flatten().filter_map(|entry| {
                    let entry = entry.as_inline_table()?;
                    Some((entry.get("include")?.as_str()?, entry.get("from")?.as_str()?))
                });
                if from
                    .into_iter()
                    .any(|(include, from)| include == self.name && self.is_elsewhere("", from))
                {
                    return true;
                }
                let Some(inner) = item.as_table_like() else { return false };
                match MAPPINGS.contains(&name) {
                    true => self.in_mapping(inner),
                    false => self.in_table(inner, depth + 1),
                }
            })
    }

    fn in_mapping(&self, mapping: &dyn TableLike) -> bool {
        // A line of its own for the package decides before the one for all packages.
        let is_named = mapping.contains_key(self.name);
        mapping.iter().any(|(key, value)| {
            let value = value.as_str().unwrap_or_default();
            !(key.is_empty() && is_named) && self.is_elsewhere(key, value)
        })
    }

    /// setup.py is a program: what maps packages there and is not a plain table counts.
    fn in_text(&self, text: &str) -> bool {
        let Ok(mapping) = regex(
            r#"(?m)^[^#\n]*\bpackage_dir["']?\]?\s*[=:]\s*(?:\{(?P<table>[^{}]*)\}|(?P<lines>(?:\s*\n?[ \t]*[\w.]*\s*=\s*[\w./-]+)+)|)"#,
        ) else {
            return false;
        };
        let Ok(pair) = regex(r#"["']([^"'\n]*)["']\s*:\s*["']([^"'\n]*)["']"#) else {
            return false;
        };
        mapping.captures_iter(text).any(|captures| {
            if let Some(table) = captures.name("table") {
                let pairs: Vec<_> = pair.captures_iter(table.as_str()).collect();
                let is_plain = pairs.len() == table.as_str().matches(':').count();
                return !is_plain
                    || self.in_pairs(
                        pairs
                            .iter()
                            .map(|pair| (pair.get(1), pair.get(2)))
                            .filter_map(|(key, value)| Some((key?.as_str(), value?.as_str()))),
                    );
            }
            match captures.name("lines") {
                Some(lines) => self.in_pairs(lines.as_str().lines().filter_map(|line| {
                    line.split_once('=').map(|(key, value)| (key.trim(), value.trim()))
                })),
                None => true,
            }
        })
    }

    fn in_pairs<'t>(&self, pairs: impl Iterator<Item = (&'t str, &'t str)>) -> bool {
        let pairs: Vec<_> = pairs.collect();
        let is_named = pairs.iter().any(|(key, _)| *key == self.name);
        pairs
            .iter()
            .any(|(key, value)| !(key.is_empty() && is_named) && self.is_elsewhere(key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_of_the_package_to_another_directory_are_found() {
        let flat =
            PackageMapping { name: "acme", place: "acme", files: vec!["x.py", "_runtime/cli.py"] };
        let deep = PackageMapping { name: "acme", place: "src/acme", files: Vec::new() };
        for (package, text) in [
            (&flat, "[tool.setuptools.package-dir]\nacme = \"other\"\n"),
            (&flat, "[tool.setuptools]\npackage-dir = {\"\" = \"src\"}\n"),
            (&flat, "[tool.setuptools.package-dir]\n\"acme.sub\" = \"other\"\n"),
            (&flat, "[tool.hatch.build.targets.wheel.sources]\nother = \"acme\"\n"),
            (&flat, "[tool.hatch.build.targets.wheel.force-include]\n\"o/x.py\" = \"acme/x.py\"\n"),
            (&flat, "[tool.hatch.build.targets.wheel.force-include]\nother = \"acme/_runtime\"\n"),
            (&flat, "[tool.poetry]\npackages = [{include = \"acme\", from = \"other\"}]\n"),
            (&deep, "[tool.pdm.build]\npackage-dir = \"lib\"\n"),
            (&deep, "[tool.setuptools.package-dir]\nacme = \"acme\"\n"),
        ] {
            assert!(package.in_toml(text), "{text}");
        }
        for (package, text) in [
            (&flat, "[tool.setuptools.packages.find]\ninclude = [\"acme\"]\n"),
            (&flat, "[tool.setuptools.package-dir]\nacme = \"acme\"\nother = \"x\"\n"),
            (&deep, "[tool.setuptools]\npackage-dir = {\"\" = \"src\"}\n"),
            (&deep, "[tool.setuptools.package-dir]\nacme = \"src/acme\"\n"),
            (&deep, "[tool.poetry]\npackages = [{include = \"acme\", from = \"src\"}]\n"),
            (&deep, "[tool.hatch.build.targets.wheel]\npackages = [\"src/acme\"]\n"),
            (&deep, "[tool.hatch.build.targets.wheel.sources]\n\"src/acme\" = \"acme\"\n"),
            (
                &flat,
                "[tool.hatch.build.targets.wheel.force-include]\n\"NOTES.md\" = \"acme/data/NOTES.md\"\n\"skills/x\" = \"acme/data/x\"\n",
            ),
            (&flat, "not toml ["),
        ] {
            assert!(!package.in_toml(text), "{text}");
        }
        for text in [
            "setup(package_dir={\"acme\": \"other\"})\n",
            "setup(\n    package_dir = {'': 'src'},\n)\n",
            "setup(package_dir=where())\n",
            "[options]\npackage_dir =\n    = src\n",
            "[options]\npackage_dir =\n    acme = other\n",
        ] {
            assert!(flat.in_text(text), "{text}");
        }
        for text in [
            "setup(name='acme')\n",
            "setup(package_dir={'other': 'x'})\n",
            "# package_dir={'acme': 'x'}\n",
            "[options]\npackage_dir =\n    acme = acme\n",
        ] {
            assert!(!flat.in_text(text), "{text}");
        }
        assert!(!deep.in_text("setup(package_dir={'': 'src'})\n"));
    }
}
