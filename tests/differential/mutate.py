"""Damaged releases: `verify` must say of each what the definitions say."""

import os

from . import formats, reference
from .check import Release, verify_flags


def check_mutants(case, release, report, random):
    """A few mutants of the release, each judged by the definitions and by `verify`."""
    for name in random.sample(list(MUTANTS), 3):
        rows = [list(row) for row in release.rows]
        changed = MUTANTS[name](case, release, rows, random)
        if not changed or not rows:
            continue
        verdict = judge(case, Release(case, release.names, rows))
        if verdict is None:
            continue
        path = os.path.join(report.folder, f"mutant-{name}.csv")
        formats.write(path, release.names, rows, formats.PLAIN)
        done = report.run(["verify", path] + verify_flags(case, report.folder) + ["--delimiter", ",", "--header"])
        said = {0: True, 1: False}.get(done.code)
        report.check(f"mutant-{name}", said == verdict,
                     f"mutant {name}: verify ends with {done.code}, by definition it {'holds' if verdict else 'fails'}: "
                     f"{done.err.strip()[-200:]}")


def judge(case, release):
    """Whether a release satisfies everything by its own rows; None where that is too close to tell."""
    answer = all(len(group) >= case.k for group in release.groups.values())
    for requirement in case.requirements:
        column = case.column(requirement["column"])
        if requirement["flag"] == "min-width":
            held = [reference.wide_enough(requirement, column, release.cell(column, group[0][0]))
                    for group in release.groups.values()]
        else:
            whole = [case.raw(row[release.place[column.name]]) for row in release.rows]
            held = [reference.holds(requirement, release.values(group, column.name), whole, column)
                    for group in release.groups.values()]
        if False in held:
            return False
        answer = answer and (None if None in held else True)
    return answer


def thin(case, release, rows, random):
    """Rows of the smallest group are removed until k - 1 are left."""
    smallest = min(release.groups, key=lambda key: len(release.groups[key]))
    of_group = [at for at, row in enumerate(rows) if release.tuple(row) == smallest]
    for at in sorted(of_group[max(case.k - 1, 1) :], reverse=True):
        del rows[at]
    return case.k > 1


def move(case, release, rows, random):
    """A row gets what another group publishes of one column."""
    column = random.choice(case.with_role("qi"))
    at = release.place[column.name]
    row, other = random.choice(rows), random.choice(rows)
    changed = row[at] != other[at]
    row[at] = other[at]
    return changed


def star(case, release, rows, random):
    """A row is published as `*` in every quasi-identifier: a group of one, like any other."""
    row = random.choice(rows)
    for column in case.with_role("qi"):
        row[release.place[column.name]] = "*"
    return True


def uniform(case, release, rows, random):
    """All rows of a group get the same sensitive value."""
    columns = case.with_role("sensitive")
    if not columns:
        return False
    at = release.place[random.choice(columns).name]
    group = random.choice(list(release.groups))
    members = [row for row in rows if release.tuple(row) == group]
    for row in members:
        row[at] = members[0][at]
    return True


def swap(case, release, rows, random):
    """Sensitive values of a few rows are exchanged."""
    columns = case.with_role("sensitive")
    if not columns:
        return False
    at = release.place[random.choice(columns).name]
    for _ in range(random.randint(1, 6)):
        one, other = random.choice(rows), random.choice(rows)
        one[at], other[at] = other[at], one[at]
    return True


def copy(case, release, rows, random):
    """Rows of one group are doubled: distributions change."""
    group = random.choice(list(release.groups))
    rows += [list(row) for row in rows if release.tuple(row) == group]
    return True


MUTANTS = {"thin": thin, "move": move, "star": star, "uniform": uniform, "swap": swap, "copy": copy}
