//! Rules about a fleet as a whole.

use crate::contract::rules::rule::Rule;

pub const MISSING: Rule = Rule {
    id: "members/missing",
    waivable: false,
    summary: "Every member that aos-fleet.toml expects exists",
    why: "A project that disappears is not checked any more, and nothing else notices",
    fix: "restore the project, or remove it from `members` in aos-fleet.toml",
    source: "aos-fleet.toml",
    ..Rule::error(&[])
};
pub const LOST: Rule = Rule {
    id: "members/lost",
    waivable: false,
    summary: "Every project has the files by which it is recognized",
    why: "aos finds a project by its manifest or its aos.toml; without both, the project is no longer checked",
    fix: "restore aos.toml and the manifest from version control, or delete the rest of the project",
    source: "aos",
    ..Rule::error(&[])
};
pub const UNLISTED: Rule = Rule {
    id: "members/unlisted",
    waivable: false,
    summary: "Every project is a member, if aos-fleet.toml says `closed = true`",
    why: "An unlisted project may have no owner who keeps it current",
    fix: "add it to `members` in aos-fleet.toml, or to `exclude`",
    source: "aos-fleet.toml",
    ..Rule::error(&[])
};
pub const PIN: Rule = Rule {
    id: "members/pin",
    waivable: false,
    summary: "Every project follows the tag in aos-fleet.toml",
    why: "The projects of a fleet move to a tag together; this one stayed at another tag",
    fix: "run `aos sync-spec --to TAG` in the project, or change `pins` in aos-fleet.toml",
    source: "aos-fleet.toml",
    ..Rule::error(&[])
};

/// Rules of fleets, in the order of the documentation.
pub const RULES: &[Rule] = &[MISSING, LOST, UNLISTED, PIN];
