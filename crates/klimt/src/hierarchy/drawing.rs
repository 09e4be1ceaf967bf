//! Draws a hierarchy as a tree of lines.

use super::Hierarchy;
use klimt_core::Result;
use klimt_core::hierarchy::NodeId;

/// The levels that are drawn as branches; below, a line says how deep its node is.
const BRANCHES: usize = 60;
/// Text is handed on when it has so many bytes.
const CHUNK: usize = 1 << 16;

impl Hierarchy {
    /// Draws the tree, a line per node, and hands on its text chunk by chunk: a tree of many nodes takes little memory.
    ///
    /// ```
    /// let zip = klimt::Hierarchy::from_lines([["53703", "5370*", "*"], ["60601", "6060*", "*"]])?;
    /// let mut text = String::new();
    /// zip.draw(|chunk| {
    ///     text.push_str(chunk);
    ///     Ok(())
    /// })?;
    /// assert!(text.starts_with("* (2 leaves)\n├─ 5370* (1)\n│  └─ 53703\n"));
    /// # Ok::<(), klimt::Error>(())
    /// ```
    pub fn draw(&self, mut write: impl FnMut(&str) -> Result<()>) -> Result<()> {
        let tree = &*self.tree;
        let mut text = format!("{} ({} leaves)\n", tree.label(tree.root()), tree.leaf_count());
        // The nodes that wait: each with its depth, and whether it is the last of its siblings.
        let mut pending: Vec<(NodeId, usize, bool)> = Vec::new();
        let push = |parent: NodeId, depth: usize, pending: &mut Vec<(NodeId, usize, bool)>| {
            let children = tree.children(parent);
            for (at, &child) in children.iter().enumerate().rev() {
                pending.push((child, depth, at + 1 == children.len()));
            }
        };
        push(tree.root(), 0, &mut pending);
        let mut indents: Vec<&str> = Vec::new();
        while let Some((node, depth, last)) = pending.pop() {
            let leaves =
                if tree.is_leaf(node) { String::new() } else { format!(" ({})", tree.leaves_under(node)) };
            let (branch, deeper) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let label = tree.label(node);
            if depth < BRANCHES {
                indents.truncate(depth);
                indents.iter().for_each(|indent| text.push_str(indent));
                text.push_str(&format!("{branch}{label}{leaves}\n"));
                indents.push(deeper);
            } else {
                text.push_str(&format!("… level {} {branch}{label}{leaves}\n", depth + 1));
            }
            push(node, depth + 1, &mut pending);
            if text.len() >= CHUNK {
                write(&text)?;
                text.clear();
            }
        }
        write(&text)
    }
}
