"""Saved recoding functions: on its own table one publishes every row of the release as the release does, on any table every
value contains its original."""

import json
import os

from .check import Release, groups_by_key
from .values import identity


def check_recoding(case, release, report, random):
    path = os.path.join(report.folder, "recoding.json")
    if not report.check("recoding", os.path.exists(path), "no recoding function is saved"):
        return
    suppressed = len(release.rows) < len(case.rows)
    if suppressed:
        no_suppressed_values(case, release, report, path)
    applied = apply(case, report, path, "applied", must=not suppressed)
    if applied is not None:
        own_rows(release, applied, suppressed, report)
    apply(other_table(case, random), report, path, "other", must=False)


def own_rows(release, applied, suppressed, report):
    """Applied to its own table, the function publishes every row of the release as the release does. Suppressed rows may come
    back, and groups that they make violate a requirement are left out."""
    published, again = groups_by_key(release), groups_by_key(applied)
    if not suppressed:
        report.check("apply-own", again == published,
                     "applied to its own table, a recoding function does not give the release")
        return
    differ = sum(again[key] != tuple for key, tuple in published.items() if key in again)
    report.check("apply-own", differ == 0,
                 f"applied to its own table, a recoding function publishes {differ} rows of the release otherwise")


def apply(case, report, path, name, must):
    """Applies the function to the table of a case; the release, or None where it is refused."""
    folder = os.path.join(report.folder, name)
    case.write(folder)
    roles = ("sensitive", "insensitive", "identifier", "target")
    output = case.release(folder)
    flags = case.role_flags(folder, roles) + ["--other", case.other, "--seed", "1"] + case.format_flags()
    flags += case.accept_flags(quasi=False)
    flags += [] if must else ["--suppress", "100%"]
    done = report.run(["apply", path, case.table(folder), "-o", output] + flags)
    if must:
        report.check("apply", done.code == 0, f"apply refuses its own table: {done.err.strip()[-300:]}")
    if done.code != 0:
        return None
    applied = Release(case, *case.read_release(output))
    if not report.check("apply-rows", None not in applied.originals and len(set(applied.keys)) == len(applied.keys),
                        "a row of the applied release is no row of the table"):
        return None
    if must:
        report.check("apply-rows", len(applied.rows) == len(case.rows), "apply leaves out rows without being asked")
    for column in case.with_role("qi"):
        at = case.index(column.name)
        for row, original in zip(applied.rows, applied.originals):
            cell, raw = applied.cell(column, row), case.raw(original[at])
            report.check("apply-contains", cell.holds(column, raw),
                         f"{name} table, {column.name} ({column.kind}): {raw!r} is published as {cell.text!r}")
    for group in applied.groups.values():
        report.check("apply-k", len(group) >= case.k, f"apply publishes a group of {len(group)}, k = {case.k}")
    return applied


def other_table(case, random):
    """Another table of the same columns: rows mixed anew, and a few values that the first table does not have."""
    other = case.copy()
    key = case.index("pid")
    columns = list(zip(*case.rows))
    size = len(case.rows) * 2
    values = [[random.choice(column) for _ in range(size)] for column in columns]
    values[key] = [f"p{at}" for at in range(size)]
    for at, column in enumerate(case.columns):
        if column.role == "qi" and random.random() < 0.5:
            unseen = {"integer": "-777", "decimal": "-777.5", "date": "1901-02-03", "timestamp": "1901-02-03T04:05:06",
                      "category": "unseen qx7"}.get(column.kind)
            if column.kind == "timestamp" and any(value.endswith("Z") or "+" in value[16:] for value in columns[at]):
                unseen += "Z"
            for _ in range(3 if unseen else 0):
                values[at][random.randrange(size)] = unseen
    other.rows = [list(row) for row in zip(*values)]
    return other


def no_suppressed_values(case, release, report, path):
    """The function holds no value that only suppressed rows have; orders and hierarchies are said by the user. A value of
    published rows may be spelt as a suppressed row spells it."""
    with open(path, encoding="utf-8") as source:
        function = json.load(source)
    for column in case.with_role("qi"):
        if column.kind not in ("integer", "decimal", "date", "timestamp", "category"):
            continue
        at = case.index(column.name)
        published = {identity(column, original[at]) for original in release.originals}
        alone = {row[at] for row in case.rows if identity(column, row[at]) not in published} - {""}
        short = {text for text in alone if len(text) < 3}  # a number such as 7 may stand there for something else
        # What stands there for another column says nothing about this one.
        own = [entry for entry in function["columns"] if entry["name"] == column.name]
        held = set(strings({**function, "columns": own}))
        report.check("suppressed-leak", not held & (alone - short),
                     f"{column.name}: the recoding function holds values of suppressed rows")


def strings(value):
    """All strings of a JSON value, as numbers too."""
    if isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)
    elif isinstance(value, str):
        yield value


