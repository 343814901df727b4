//! Edits of a text at anchors, and their inverse. Pure: texts in, texts out; knows no file of the orchestrator.

use std::collections::BTreeSet;

/// An anchor that is not in the text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LostAnchor {
    pub looked_for: String,
}

/// One edit of one text.
#[derive(Clone, Debug)]
pub enum AnchorChange {
    Lines(AnchorLines),
    Element(Element),
}

impl AnchorChange {
    /// The text with the edit; `None` when it is there already.
    pub fn put(&self, text: &str) -> Result<Option<String>, LostAnchor> {
        match self {
            Self::Lines(lines) => lines.put(text),
            Self::Element(element) => element.put(text),
        }
    }

    /// The text without the edit; `None` when it is not there.
    pub fn taken(&self, text: &str) -> Option<String> {
        match self {
            Self::Lines(lines) => lines.taken(text),
            Self::Element(element) => element.taken(text),
        }
    }
}

/// Whole lines at the end of a block, or at their sorted place in it.
#[derive(Clone, Debug)]
pub struct AnchorLines {
    /// Starts of lines that lead into the block, without indentation; the first one exists once in the text.
    pub opens: &'static [&'static str],
    /// The line that ends the block, with its indentation.
    pub closes: &'static str,
    pub lines: String,
    /// Lines of the block with this start, without indentation, are sorted.
    pub sorted: Option<&'static str>,
}

impl AnchorLines {
    fn put(&self, text: &str) -> Result<Option<String>, LostAnchor> {
        let (start, end) = self.block(text)?;
        if whole_lines(&text[start..end], &self.lines).is_some() {
            return Ok(None);
        }
        let at = match self.sorted {
            None => end,
            Some(prefix) => self.sorted_place(text, (start, end), prefix)?,
        };
        Ok(Some(format!("{}{}{}", &text[..at], self.lines, &text[at..])))
    }

    fn taken(&self, text: &str) -> Option<String> {
        let at = whole_lines(text, &self.lines)?;
        Some(format!("{}{}", &text[..at], &text[at + self.lines.len()..]))
    }

    /// From the first line of the block to the line that ends it.
    fn block(&self, text: &str) -> Result<(usize, usize), LostAnchor> {
        let lost = |what: &str| LostAnchor { looked_for: what.to_owned() };
        let mut lines = offsets(text);
        let mut start = 0;
        for (number, opens) in self.opens.iter().enumerate() {
            let is_it = |line: &str| line.trim_start().starts_with(opens);
            if number == 0 && text.lines().filter(|line| is_it(line)).count() > 1 {
                return Err(lost(&format!("{opens} (once)")));
            }
            let (at, line) = lines.find(|(_, line)| is_it(line)).ok_or_else(|| lost(opens))?;
            start = at + line.len();
        }
        let is_end = |line: &str| line.trim_end() == self.closes;
        let end = lines.find(|(_, line)| is_end(line)).map(|(at, _)| at);
        let opens = self.opens.join(" … ");
        end.map(|end| (start, end))
            .ok_or_else(|| lost(&format!("{opens} … {}", self.closes.trim_start())))
    }

    fn sorted_place(
        &self,
        text: &str,
        (start, end): (usize, usize),
        prefix: &str,
    ) -> Result<usize, LostAnchor> {
        let mut place = None;
        for (at, line) in offsets(&text[start..end]) {
            if !line.trim_start().starts_with(prefix) {
                continue;
            }
            if line > self.lines.as_str() {
                return Ok(start + at);
            }
            place = Some(start + at + line.len());
        }
        place.ok_or_else(|| LostAnchor { looked_for: prefix.to_owned() })
    }
}

/// One more element of the lists of harnesses in a text.
#[derive(Clone, Debug)]
pub struct Element {
    /// The texts that can be directly before a list.
    pub prefixes: &'static [&'static str],
    /// The text before the list on its line.
    pub on_line: &'static str,
    pub separator: &'static str,
    pub quote: &'static str,
    /// How many lists there are.
    pub count: usize,
    /// The element that stays last.
    pub last: &'static str,
    pub id: String,
    /// The ids that such a list has.
    pub known: BTreeSet<String>,
    /// Whether a list has all of them but `last`; otherwise half of them are enough.
    pub is_complete: bool,
}

impl Element {
    fn put(&self, text: &str) -> Result<Option<String>, LostAnchor> {
        let lists = self.lists(text);
        if lists.len() != self.count {
            let looked_for = format!(
                "{} of harnesses after `{}` ({} found)",
                if self.count == 1 { "1 list".to_owned() } else { format!("{} lists", self.count) },
                self.prefixes.join("` or `").replace('\n', "\\n"),
                lists.len()
            );
            return Err(LostAnchor { looked_for });
        }
        let mut edited = text.to_owned();
        let mut is_new = false;
        for list in lists.iter().rev().filter(|list| self.of(list, text, &self.id).is_none()) {
            let (quote, id, separator) = (self.quote, &self.id, self.separator);
            match (self.of(list, text, self.last), list.last()) {
                (Some((at, _)), _) => {
                    edited.insert_str(at, &format!("{quote}{id}{quote}{separator}"));
                }
                (None, Some((_, end))) => {
                    edited.insert_str(*end, &format!("{separator}{quote}{id}{quote}"));
                }
                (None, None) => continue,
            }
            is_new = true;
        }
        Ok(is_new.then_some(edited))
    }

    fn taken(&self, text: &str) -> Option<String> {
        let mut edited = text.to_owned();
        let mut is_taken = false;
        for list in self.lists(text).iter().rev() {
            if let Some((start, end)) = self.of(list, text, &self.id)
                && list.first() != Some(&(start, end))
            {
                edited.replace_range(start - self.separator.len()..end, "");
                is_taken = true;
            }
        }
        is_taken.then_some(edited)
    }

    fn of(&self, list: &[(usize, usize)], text: &str, id: &str) -> Option<(usize, usize)> {
        let element = format!("{0}{id}{0}", self.quote);
        list.iter().copied().find(|(start, end)| text[*start..*end] == element)
    }

    /// Start and end of each element of each list, in the order of the text.
    fn lists(&self, text: &str) -> Vec<Vec<(usize, usize)>> {
        let mut starts: Vec<_> = self
            .prefixes
            .iter()
            .flat_map(|prefix| text.match_indices(prefix).map(|(at, found)| (at, at + found.len())))
            .filter(|(at, _)| {
                let line = text[..*at].rfind('\n').map_or(0, |end| end + 1);
                text[line..*at].contains(self.on_line)
            })
            .map(|(_, end)| end)
            .collect();
        starts.sort_unstable();
        let lists = starts.into_iter().map(|start| self.elements(text, start));
        lists.filter(|list| self.is_of_harnesses(list, text)).collect()
    }

    fn is_of_harnesses(&self, list: &[(usize, usize)], text: &str) -> bool {
        let mut needed = self.known.iter().filter(|id| **id != self.last && **id != self.id);
        match self.is_complete {
            true => needed.all(|id| self.of(list, text, id).is_some()),
            false => list.len() * 2 >= self.known.len().max(2),
        }
    }

    fn elements(&self, text: &str, start: usize) -> Vec<(usize, usize)> {
        let mut elements = Vec::new();
        let mut at = start;
        while let Some(end) = self.element(text, at) {
            elements.push((at, end));
            match text[end..].starts_with(self.separator) {
                true => at = end + self.separator.len(),
                false => break,
            }
        }
        elements
    }

    fn element(&self, text: &str, at: usize) -> Option<usize> {
        let rest = text[at..].strip_prefix(self.quote)?;
        let is_id =
            |symbol: char| symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || symbol == '-';
        let length = rest.find(|symbol| !is_id(symbol)).unwrap_or(rest.len());
        let id = &rest[..length];
        let is_known = id == self.id || id == self.last || self.known.contains(id);
        let closed = rest[length..].starts_with(self.quote);
        (is_known && closed).then(|| at + length + 2 * self.quote.len())
    }
}

/// Each line with its offset and its end.
fn offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

/// Returns the position of `lines` in `text` as whole lines.
fn whole_lines(text: &str, lines: &str) -> Option<usize> {
    let found = text.match_indices(lines).map(|(at, _)| at);
    found.into_iter().find(|at| *at == 0 || text[..*at].ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, sorted: Option<&'static str>) -> AnchorLines {
        AnchorLines { opens: &["list {"], closes: "}", lines: text.to_owned(), sorted }
    }

    fn element(text: &str) -> Element {
        let known = ["one", "two", "fake"].map(str::to_owned).into();
        Element {
            prefixes: &["all: "],
            on_line: "",
            separator: ", ",
            quote: "`",
            count: 1,
            last: "fake",
            id: text.to_owned(),
            known,
            is_complete: true,
        }
    }

    #[test]
    fn lines_go_to_the_end_of_their_block_or_to_their_sorted_place_and_out_again() {
        let text = "list {\n\tb\n\td\n}\nlast {\n\ta\n}\n";
        for (edit, wanted) in [
            (lines("\tx\n", None), "list {\n\tb\n\td\n\tx\n}\nlast {\n\ta\n}\n"),
            (lines("\tc\n", Some("")), "list {\n\tb\n\tc\n\td\n}\nlast {\n\ta\n}\n"),
            (lines("\te\n", Some("")), "list {\n\tb\n\td\n\te\n}\nlast {\n\ta\n}\n"),
        ] {
            assert_eq!(edit.put(text).unwrap().as_deref(), Some(wanted));
            assert_eq!(edit.put(wanted), Ok(None));
            assert_eq!(edit.taken(wanted).as_deref(), Some(text));
            assert_eq!(edit.taken(text), None);
        }
    }

    #[test]
    fn a_block_that_is_missing_doubled_or_open_is_lost() {
        let edit = lines("\tx\n", None);
        for text in ["", "list (\n}\n", "list {\n", "list {\n}\nlist {\n}\n"] {
            assert!(edit.put(text).unwrap_err().looked_for.contains("list {"), "{text}");
        }
    }

    #[test]
    fn an_element_goes_before_the_one_that_stays_last_and_out_again() {
        for (text, wanted) in [
            ("all: `one`, `two`.", "all: `one`, `two`, `three`."),
            ("all: `one`, `two`, `fake`\n", "all: `one`, `two`, `three`, `fake`\n"),
        ] {
            let edit = element("three");
            assert_eq!(edit.put(text).unwrap().as_deref(), Some(wanted));
            assert_eq!(edit.put(wanted), Ok(None));
            assert_eq!(edit.taken(wanted).as_deref(), Some(text));
            assert_eq!(edit.taken(text), None);
        }
    }

    #[test]
    fn a_list_of_other_values_is_not_a_list_of_harnesses() {
        for text in ["", "all: `red`, `blue`", "all: one, two", "some: `one`, `two`", "all: `one`"]
        {
            assert!(element("three").put(text).is_err(), "{text}");
            assert_eq!(element("three").taken(text), None);
        }
        let part = Element { is_complete: false, ..element("three") };
        assert!(part.put("all: `one`, `fake`").is_ok());
    }
}
