//! No import cycles: the modules of the engine can be put in an order in which each imports only earlier ones.
//!
//! A module is a file or folder of `src`, and inside `src/algorithm` a file or folder of that. The test reads the paths
//! that begin with `crate::` or `super::` from the sources; code of tests may import anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_do_not_import_each_other() {
    let imports = imports_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    if let Some(cycle) = cycle(&imports) {
        panic!("modules import each other: {}", cycle.join(" -> "));
    }
}

/// A cycle of modules, which starts and ends with the same one.
fn cycle(imports: &Imports) -> Option<Vec<String>> {
    fn visit(at: &str, imports: &Imports, done: &mut BTreeSet<String>, way: &mut Vec<String>) -> bool {
        if let Some(start) = way.iter().position(|module| module == at) {
            way.drain(..start);
            way.push(at.to_string());
            return true;
        }
        if !done.insert(at.to_string()) {
            return false;
        }
        way.push(at.to_string());
        if imports.get(at).into_iter().flatten().any(|next| visit(next, imports, done, way)) {
            return true;
        }
        way.pop();
        false
    }
    let (mut done, mut way) = (BTreeSet::new(), Vec::new());
    imports.keys().any(|module| visit(module, imports, &mut done, &mut way)).then_some(way)
}

fn imports_of(sources: &Path) -> Imports {
    let roots = root_exports(&sources.join("lib.rs"));
    let mut imports = Imports::new();
    for file in files(sources) {
        let path = module_path(file.strip_prefix(sources).expect("files lie in the folder of sources"));
        // `lib.rs` and `algorithm/mod.rs` list modules.
        let Some(module) = module_of(&path) else { continue };
        let text = code_of(&fs::read_to_string(&file).expect("sources can be read"));
        for mut target in paths(&text, &path) {
            if let Some(home) = target.first().and_then(|first| roots.get(first)) {
                target[0].clone_from(home);
            }
            if let Some(imported) = module_of(&target).filter(|imported| *imported != module) {
                imports.entry(module.clone()).or_default().insert(imported);
            }
        }
    }
    imports
}

/// All files of a folder of sources.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("folders of sources can be read");
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("entries can be read").path()) {
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
    found
}

/// The path of the module that a file holds.
fn module_path(file: &Path) -> Vec<String> {
    let path = file.with_extension("");
    let mut parts: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

/// The module that a path leads into; `None` for the root and for the list of algorithms.
fn module_of(path: &[String]) -> Option<String> {
    match path {
        [first, second, ..] if first == "algorithm" => Some(format!("{first}/{second}")),
        [first, ..] if first != "algorithm" => Some(first.clone()),
        _ => None,
    }
}

/// The modules of what `lib.rs` exports by name.
fn root_exports(lib: &Path) -> BTreeMap<String, String> {
    let text = code_of(&fs::read_to_string(lib).expect("sources can be read"));
    let exports = text.split(';').filter_map(|item| item.trim().strip_prefix("pub use "));
    let found = exports.flat_map(|item| {
        let mut found = Vec::new();
        tree(item, &mut Vec::new(), &mut found);
        found
    });
    found.filter_map(|path| Some((path.last()?.clone(), path.first()?.clone()))).collect()
}

/// A source without comments and without the code of tests.
fn code_of(source: &str) -> String {
    let mut code: String = source.lines().map(|line| line.split("//").next().unwrap_or("")).fold(
        String::new(),
        |mut code, line| {
            code.push_str(line);
            code.push('\n');
            code
        },
    );
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = block_end(&code[start..]).map_or(code.len(), |end| start + end);
        code.replace_range(start..end, "");
    }
    code
}

/// Where the item at the start of a text ends: behind its block, or behind its semicolon where that comes first.
fn block_end(text: &str) -> Option<usize> {
    let open = text.find(['{', ';'])?;
    if text[open..].starts_with(';') {
        return Some(open + 1);
    }
    let mut depth = 0;
    text[open..].char_indices().find_map(|(at, letter)| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(open + at + 1)
    })
}

/// The paths in a source that start at the root or above the module of the file, as paths from the root.
fn paths(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices("crate::").filter(|(at, _)| !is_inside_word(text, *at)) {
        tree(&text[start + "crate::".len()..], &mut Vec::new(), &mut found);
    }
    for (start, _) in text.match_indices("super::").filter(|(at, _)| !is_inside_word(text, *at)) {
        let (mut above, mut rest) = (module.to_vec(), &text[start..]);
        while let Some(more) = rest.strip_prefix("super::") {
            above.pop();
            rest = more;
        }
        tree(rest, &mut above, &mut found);
    }
    found
}

/// Whether a place in a text continues a word or a path.
fn is_inside_word(text: &str, at: usize) -> bool {
    text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':')
}

/// Lists the paths of a tree of imports such as `a::{b, c::d}`; returns what follows it.
fn tree<'t>(text: &'t str, before: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = tree(rest, before, found).trim_start();
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    if end == 0 {
        found.push(before.clone());
        return text.strip_prefix('*').unwrap_or(text);
    }
    before.push(text[..end].to_string());
    let rest = match text[end..].strip_prefix("::") {
        Some(more) => tree(more, before, found),
        None => {
            found.push(before.clone());
            &text[end..]
        }
    };
    before.pop();
    rest
}

#[test]
fn a_cycle_is_found_and_told() {
    let imports = |edges: &[(&str, &str)]| {
        edges.iter().fold(Imports::new(), |mut imports, (from, to)| {
            imports.entry(from.to_string()).or_default().insert(to.to_string());
            imports
        })
    };
    assert_eq!(cycle(&imports(&[("a", "b"), ("a", "c"), ("b", "c")])), None);
    let found = cycle(&imports(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]));
    assert_eq!(found.unwrap(), ["b", "c", "d", "b"]);
}

#[test]
fn paths_are_read_from_sources() {
    let module = ["algorithm", "mondrian", "cut"].map(str::to_string);
    let source = "use crate::{Error, table::{Domain, Table}}; // crate::comment::C\n use super::super::rtree::Plan;\n\
                  use super::edges::*;\n fn f() { crate::words::option(1) }\n #[cfg(test)]\n mod tests { use crate::no::No; }";
    let mut found: Vec<String> =
        paths(&code_of(source), &module).iter().filter_map(|path| module_of(path)).collect();
    found.sort();
    assert_eq!(found, ["Error", "algorithm/mondrian", "algorithm/rtree", "table", "table", "words"]);
}
