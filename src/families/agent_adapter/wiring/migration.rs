//! The migration that lets sessions of the orchestrator's database have one more harness.

use std::collections::BTreeSet;

use super::anchor::LostAnchor;

/// The directory of migrations.
pub const MIGRATIONS: &str = "backend/internal/storage/sqlite/migrations";
/// The text that every migration of the harnesses contains.
const CHECK: &str = "CHECK (harness IN (";
/// The first words of a migration of ours.
const OURS: &str = "-- Lets sessions.harness be";

/// A migration.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Migration {
    pub version: u64,
    pub name: String,
}

impl Migration {
    /// The migration of harness `id` among the files of the directory.
    #[must_use]
    pub fn existing(id: &str, names: &[String]) -> Option<Self> {
        let end = suffix(id);
        let name = names.iter().find(|name| {
            name.strip_suffix(&end).is_some_and(|version| version.parse::<u64>().is_ok())
        })?;
        Some(Self { version: version(name)?, name: name.clone() })
    }

    /// The next migration; `burned` has numbers that must not be used again.
    #[must_use]
    pub fn next(id: &str, names: &[String], burned: &BTreeSet<u64>) -> Self {
        let newest = names.iter().filter_map(|name| version(name)).max().unwrap_or_default();
        let mut version = newest + 1;
        while burned.contains(&version) {
            version += 1;
        }
        Self { version, name: format!("{version:04}{}", suffix(id)) }
    }
}

fn suffix(id: &str) -> String {
    format!("_allow_{}_harness.sql", id.replace('-', "_"))
}

/// The number at the start of a name; higher ones than any project has are none.
fn version(name: &str) -> Option<u64> {
    let version = name.split('_').next()?.parse().ok()?;
    (name.ends_with(".sql") && version < 1_000_000).then_some(version)
}

/// Numbers in the body of `burnedVersion`.
#[must_use]
pub fn burned(text: &str) -> BTreeSet<u64> {
    let body = text.split("\nfunc burnedVersion(").nth(1).unwrap_or_default();
    let body = body.split_once('{').map(|(_, body)| body).unwrap_or_default();
    let body = body.split("\n}").next().unwrap_or_default();
    let numbers = body.split(|symbol: char| !symbol.is_ascii_digit());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

/// The list of harnesses that the database has before a migration of ours.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MigrationList {
    /// The list up to its last harness, as a literal of SQL writes it. A database without it is an older one, which the
    /// orchestrator repairs itself.
    start: String,
    last: String,
}

impl MigrationList {
    /// The list of the newest migration of harnesses that `aos wire` did not write; texts come newest first.
    ///
    /// # Errors
    /// Returns an error if there is none, or its lists end differently.
    pub fn find<'t>(
        texts: impl IntoIterator<Item = &'t str>,
        known: &BTreeSet<String>,
    ) -> Result<Self, LostAnchor> {
        let lost = || LostAnchor {
            looked_for: format!("a migration with `{CHECK}` whose lists have one end"),
        };
        let mut texts = texts.into_iter();
        let text = texts.find(|text| text.contains(CHECK) && !text.starts_with(OURS));
        let text = text.ok_or_else(lost)?;
        let mut lasts = BTreeSet::new();
        let mut longest = (0, None);
        for (at, _) in text.match_indices(CHECK) {
            let list = text[at..].split("))").next().unwrap_or_default();
            let (start, last) = list.rsplit_once(", ''").ok_or_else(lost)?;
            lasts.insert(last.strip_suffix("''").ok_or_else(lost)?);
            let ids: Vec<_> = start[CHECK.len()..].split(", ").map(unquoted).collect();
            let is_known = |id: &&str| id.is_empty() || known.contains(*id);
            if ids.len() > longest.0 && ids.iter().all(is_known) {
                longest = (ids.len(), Some(start));
            }
        }
        match (lasts.into_iter().collect::<Vec<_>>().as_slice(), longest.1) {
            ([last], Some(start)) => Ok(Self { start: start.to_owned(), last: (*last).to_owned() }),
            _ => Err(lost()),
        }
    }
}

fn unquoted(literal: &str) -> &str {
    literal.strip_prefix("''").and_then(|rest| rest.strip_suffix("''")).unwrap_or(literal)
}

/// The text of the migration of `id`.
#[must_use]
pub fn text(id: &str, list: &MigrationList) -> String {
    let MigrationList { start, last } = list;
    let statement =
        |text: &str| format!("-- +goose StatementBegin\n{text};\n-- +goose StatementEnd\n");
    let step = |set: &str, condition: &str| {
        let update = format!(
            "UPDATE sqlite_master\nSET sql = {set}\nWHERE type = 'table' AND name = 'sessions'{condition}"
        );
        [
            statement("PRAGMA writable_schema = ON"),
            statement(&update),
            statement("PRAGMA writable_schema = RESET"),
        ]
        .concat()
    };
    let up = step(
        &format!("replace(sql, ', ''{last}''))', ', ''{id}'', ''{last}''))')"),
        &format!("\n  AND instr(sql, '{start}') > 0 AND instr(sql, ', ''{id}''') = 0"),
    );
    let down = step(&format!("replace(sql, ', ''{id}''', '')"), "");
    format!(
        "{OURS} '{id}'. SQLite cannot change a CHECK, so the text of the table is changed, as in\n\
         -- earlier migrations of harnesses. A table that lacks one of those is left to the repair at the start.\n\n\
         -- +goose NO TRANSACTION\n-- +goose Up\n{up}\n-- +goose Down\n{down}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_next_number_is_neither_used_nor_burned() {
        let there =
            names(&["0001_init.sql", "0082_allow_x_harness.sql", "README.md", "0099_x.txt"]);
        let next = |burned: &[u64]| {
            Migration::next("acme-2", &there, &burned.iter().copied().collect()).name
        };
        assert_eq!(next(&[22]), "0083_allow_acme_2_harness.sql");
        assert_eq!(next(&[83, 84]), "0085_allow_acme_2_harness.sql");
        assert_eq!(Migration::existing("x", &there).map(|found| found.version), Some(82));
        assert_eq!(Migration::existing("acme-2", &there), None);
    }

    #[test]
    fn burned_numbers_are_read_from_the_function_alone() {
        let text =
            "// 99\nfunc burnedVersion(v int64) bool {\n\treturn v == 22 || v == 83\n}\n// 7\n";
        assert_eq!(burned(text), BTreeSet::from([22, 83]));
        assert_eq!(burned(""), BTreeSet::new());
    }

    #[test]
    fn the_list_is_the_longest_of_the_newest_migration_that_is_not_ours() {
        let known = BTreeSet::from(["a", "b", "fake"].map(str::to_owned));
        let newest = "'CHECK (harness IN ('''', ''a'', ''fake''))', 'CHECK (harness IN ('''', ''a'', ''b'', ''fake''))', \
                      'CHECK (harness IN ('''', ''a'', ''b'', ''gone'', ''fake''))'";
        let older = "'CHECK (harness IN (''a'', ''b''))'";
        let list = MigrationList::find(["", newest, older], &known).unwrap();
        assert_eq!(list.last, "fake");
        assert_eq!(list.start, "CHECK (harness IN ('''', ''a'', ''b''");
        let ours = text("acme", &list);
        assert!(ours.contains("', ''acme'', ''fake''))'"), "{ours}");
        assert_eq!(MigrationList::find([ours.as_str(), newest], &known), Ok(list));
        let torn = "'CHECK (harness IN (''a'', ''fake''))', 'CHECK (harness IN (''a'', ''b''))'";
        for texts in [vec![], vec![torn], vec!["CHECK (harness IN ("], vec![ours.as_str()]] {
            assert!(MigrationList::find(texts, &known).is_err());
        }
    }
}
