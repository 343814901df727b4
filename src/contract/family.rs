//! The contract families a project can belong to: what they are called, and where each layer finds its part of one.
//!
//! Each family is a folder in `families`. No other module names one: a layer declares what it asks of a family as a
//! trait with a [`FamilyParts`] list, and `families::install` fills the lists before the first question.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::RwLock;

/// The name of a family, and how its projects are recognized.
#[derive(Debug)]
pub struct Description {
    /// As `aos.toml` and `contract.json` write it.
    pub name: &'static str,
    /// File name of the spec text that a project vendors into `.agent/`.
    pub spec_file: &'static str,
    /// One project of the family, in messages: `connector`.
    pub noun: &'static str,
    /// The marker by which a project without a record is recognized.
    pub marker: Marker,
    /// The prefix of the names of its directories; empty if any name is allowed.
    pub prefix: &'static str,
}

/// The marker by which a project without a record is recognized.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Marker {
    /// By a file at this path.
    File(&'static str),
    /// By the lack of every other marker.
    Rest,
    /// Not at all: its record says what it is.
    Record,
}

/// A published family of contracts. A project belongs to exactly one.
#[derive(Clone, Copy, Debug)]
pub struct Family(&'static Description);

static ALL: FamilyParts<Description> = FamilyParts::new();

impl Family {
    /// The family of a project in a build of aos that has none.
    pub const UNKNOWN: Self = Self::of(&Description {
        name: "unknown",
        spec_file: "SPEC.md",
        noun: "project",
        marker: Marker::Record,
        prefix: "",
    });

    /// Of a project that follows no contract: its template alone says what it is.
    pub const NONE: Self = Self::of(&Description {
        name: "none",
        spec_file: "SPEC.md",
        noun: "project",
        marker: Marker::Record,
        prefix: "",
    });

    /// The family that `description` describes.
    #[must_use]
    pub const fn of(description: &'static Description) -> Self {
        Self(description)
    }

    /// Makes the family known; a second time changes nothing.
    pub fn install(self) {
        ALL.add(self, self.0);
    }

    /// Every family, by name.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all: Vec<_> = ALL.entries().into_iter().map(|(family, _)| family).collect();
        all.sort();
        all
    }

    /// The names of every family, in order.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::all().into_iter().map(Self::name).collect()
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// File name of the spec text that a project vendors into `.agent/`.
    #[must_use]
    pub fn spec_file(self) -> &'static str {
        self.0.spec_file
    }

    /// One project of the family, in messages.
    #[must_use]
    pub fn noun(self) -> &'static str {
        self.0.noun
    }

    /// Returns the prefix of the names of its directories; empty if any name is allowed.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        self.0.prefix
    }

    /// Returns the marker by which a project without a record is recognized.
    #[must_use]
    pub fn marker(self) -> Marker {
        self.0.marker
    }
}

impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Family {}

impl PartialOrd for Family {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Family {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl fmt::Display for Family {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all()
            .into_iter()
            .find(|family| family.name() == text)
            .ok_or_else(|| UnknownFamily(text.to_owned()))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("unknown contract family `{0}`")]
pub struct UnknownFamily(pub String);

/// The implementations of one layer, one for each family.
#[derive(Debug)]
pub struct FamilyParts<T: ?Sized + 'static>(RwLock<Vec<(Family, &'static T)>>);

impl<T: ?Sized + 'static> FamilyParts<T> {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    /// Adds the part of `family`; the first one stays.
    pub fn add(&self, family: Family, part: &'static T) {
        let mut parts = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if parts.iter().all(|(known, _)| *known != family) {
            parts.push((family, part));
        }
    }

    /// The part of `family`; `None` when it has none.
    #[must_use]
    pub fn of(&self, family: Family) -> Option<&'static T> {
        self.entries().into_iter().find(|(known, _)| *known == family).map(|(_, part)| part)
    }

    /// Every part, in the order of installation.
    #[must_use]
    pub fn entries(&self) -> Vec<(Family, &'static T)> {
        #[cfg(test)]
        crate::installed();
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl<T: ?Sized + 'static> Default for FamilyParts<T> {
    fn default() -> Self {
        Self::new()
    }
}
