//! YAML of pipelines as a tree with lines. Aliases are copied within a bound; nothing is constructed.

use saphyr_parser::{Event, Parser};

/// Most nodes of one document, aliases included.
const MAX_NODES: usize = 50_000;
/// Most collections inside each other.
const MAX_DEPTH: usize = 64;

/// A value and the line where it begins.
#[derive(Clone, Debug)]
pub enum YamlNode {
    Scalar { text: String, line: u32 },
    List(Vec<YamlNode>),
    Table(Vec<(String, YamlNode)>),
}

impl YamlNode {
    /// The member `key`, also one that a merge key brings.
    pub fn member(&self, key: &str) -> Option<&Self> {
        let Self::Table(members) = self else { return None };
        let own = members.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        own.or_else(|| members.iter().find(|(name, _)| name == "<<")?.1.member(key))
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Scalar { text, .. } => Some(text),
            Self::List(_) | Self::Table(_) => None,
        }
    }

    /// Every scalar at or below this node.
    pub fn scalars(&self) -> Vec<&str> {
        match self {
            Self::Scalar { text, .. } => vec![text],
            Self::List(items) => items.iter().flat_map(Self::scalars).collect(),
            Self::Table(members) => members.iter().flat_map(|(_, value)| value.scalars()).collect(),
        }
    }
}

/// The documents of a text; `None` when it is not YAML or too large.
pub fn read(text: &str) -> Option<Vec<YamlNode>> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX);
        reader.take(event, line)?;
    }
    Some(reader.documents)
}

/// A collection whose end was not read yet, with its anchor.
struct OpenCollection {
    node: YamlNode,
    key: Option<String>,
    anchor: usize,
}

#[derive(Default)]
struct Reader {
    documents: Vec<YamlNode>,
    open: Vec<OpenCollection>,
    anchors: Vec<Option<(YamlNode, usize)>>,
    nodes: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, line: u32) -> Option<()> {
        match event {
            Event::Scalar(text, _, anchor, _) => {
                self.place(YamlNode::Scalar { text: text.into_owned(), line }, 1, anchor)
            }
            Event::Alias(anchor) => {
                let (node, size) = self.anchors.get(anchor)?.clone()?;
                self.place(node, size, 0)
            }
            Event::SequenceStart(anchor, _) => self.begin(YamlNode::List(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => self.begin(YamlNode::Table(Vec::new()), anchor),
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop()?;
                self.place(open.node, 1, open.anchor)
            }
            _ => Some(()),
        }
    }

    fn begin(&mut self, node: YamlNode, anchor: usize) -> Option<()> {
        self.open.push(OpenCollection { node, key: None, anchor });
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn place(&mut self, node: YamlNode, size: usize, anchor: usize) -> Option<()> {
        self.nodes = self.nodes.checked_add(size)?;
        if self.nodes > MAX_NODES {
            return None;
        }
        if anchor > 0 {
            if self.anchors.len() <= anchor {
                self.anchors.resize(anchor + 1, None);
            }
            let size = node.scalars().len() + 1;
            self.anchors[anchor] = Some((node.clone(), size));
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.push(node);
            return Some(());
        };
        match &mut open.node {
            YamlNode::List(items) => items.push(node),
            YamlNode::Table(members) => match open.key.take() {
                Some(key) => members.push((key, node)),
                None => open.key = Some(node.text().unwrap_or_default().to_owned()),
            },
            YamlNode::Scalar { .. } => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_flow_and_aliases_are_one_tree() {
        let text = "a: &x {run: aos check, if: false}\nb:\n  - *x\n  - <<: *x\n    c: 1\n";
        let tree = read(text).unwrap().remove(0);
        assert_eq!(tree.member("a").unwrap().member("if").unwrap().text(), Some("false"));
        let YamlNode::List(items) = tree.member("b").unwrap() else { panic!("{tree:?}") };
        assert!(items.iter().all(|item| item.member("run").unwrap().text() == Some("aos check")));
    }

    #[test]
    fn yaml_that_grows_without_bound_and_other_text_is_refused() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let items = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{items}]\n"));
        }
        assert!(read(&bomb).is_none());
        assert!(read(&"[".repeat(10_000)).is_none());
        assert!(read("a: [b").is_none());
    }
}
