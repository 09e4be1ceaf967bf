"""Information losses of a release, by their definitions.

`measure(case, release)` gives {name: [values]}: every value that the definition allows. With suppressed rows a domain may be
taken from all rows or from the published ones, so some losses have two values. A loss that is not defined here for the
columns of a case is left out.
"""

from collections import Counter
from fractions import Fraction
import math

from .values import MEASURED, identity, is_ordered, position

# Exact sums over more rows take too long.
MOST_ROWS = 1000


def measure(case, release):
    """The losses of a release: its groups are lists of (published row, original row)."""
    n, published = len(case.rows), len(release.rows)
    suppressed = n - published
    groups = list(release.groups.values())
    sizes = [len(group) for group in groups]
    # DM: the sum of squared group sizes, and the number of rows for every suppressed row.
    found = {"dm": [sum(size * size for size in sizes) + n * suppressed]}
    if groups:
        # C_AVG: published rows per group, in units of k.
        found["c_avg"] = [Fraction(published, len(groups) * case.k)]
    if n > MOST_ROWS:
        return found
    found.update(of_targets(case, groups, suppressed))
    domains = [case.rows] + ([release.originals] if suppressed and published else [])
    penalties = [penalty(case, release, rows, suppressed) for rows in domains]
    if None not in penalties:
        found["ncp"] = penalties
    told = [discernibility(case, release, rows, suppressed) for rows in domains]
    if None not in told:
        found["hdm"] = told
    return found


def of_targets(case, groups, suppressed):
    """CM: rows whose class is not the commonest of their group, and suppressed rows. The conditional entropy of the class in
    bits, and the root mean squared error of a number from its group's mean, over published rows."""
    found = {}
    targets = case.with_role("target")
    published = sum(len(group) for group in groups)
    if not targets or not published:
        return found
    at = case.index(targets[0].name)
    classes = [Counter(identity(targets[0], row[at]) for _, row in group) for group in groups]
    found["cm"] = [sum(sum(count.values()) - max(count.values()) for count in classes) + suppressed]
    bits = sum(c * math.log2(sum(count.values()) / c) for count in classes for c in count.values())
    found["conditional-entropy"] = [bits / published]
    if targets[0].kind == "integer":
        squared = Fraction(0)
        for group in groups:
            numbers = [Fraction(row[at]) for _, row in group]
            mean = sum(numbers) / len(numbers)
            squared += sum((x - mean) ** 2 for x in numbers)
        found["rmse"] = [math.sqrt(squared / published)]
    return found


def penalty(case, release, domain, suppressed):
    """NCP, the weighted average over all cells of the share of its range that a cell covers; a suppressed row pays 1.

    Ordered: length over the length of the range. Taxonomy: leaves over all leaves, 0 for one leaf. Set: (n-1)/(m-1), where
    a missing value counts as one of the m. `*` costs 1. A cell that covers the missing value and others costs 1.
    """
    total = weights = Fraction(0)
    for column in case.with_role("qi"):
        weight = Fraction(column.weight or "1")
        cost = column_cost(case, release, column, domain)
        if cost is None:
            return None
        total += weight * cost
        weights += weight
    return (total / weights + suppressed) / len(case.rows)


def column_cost(case, release, column, domain):
    """The sum over the published rows of what a cell of the column costs; None where it is not defined here."""
    at = case.index(column.name)
    raw = [case.raw(row[at]) for row in domain]
    cells = [release.cell(column, row) for row in release.rows]
    if is_ordered(column):
        places = [position(column, text) for text in raw if text != ""]
        range_ = max(places) - min(places) if places else Fraction(0)
        if column.kind == "ordinal":
            # The ranks of an imposed order are those of the values in it that occur, or of all of them.
            if len(set(raw) - {""}) != len(column.order):
                return None
        price = lambda cell: (cell.interval[1] - cell.interval[0]) / range_ if range_ and cell.interval else Fraction(0)
        return sum((Fraction(1) if cell.text == "*" else price(cell)) for cell in cells)
    if column.kind == "taxonomy":
        leaves = len(column.tree.leaves)
        if any(cell.node is None and cell.text not in ("", "*") for cell in cells):
            return None  # a scheme published sets or intervals of leaves
        if any(position_like(leaf) for leaf in column.tree.leaves):
            return None  # leaves that are numbers are measured by length
        price = lambda cell: Fraction(1) if cell.everything else (
            Fraction(0) if cell.text == "" or len(cell.members) == 1 else Fraction(len(cell.members), leaves))
        return sum(price(cell) for cell in cells)
    values = {identity(column, text) for text in raw} if column.kind == "boolean" else set(raw)
    if column.kind == "boolean" and len(values) != len(set(raw)):
        return None
    most = len(values) - 1
    price = lambda cell: Fraction(1) if cell.text == "*" else (
        Fraction(cell.count - 1, most) if cell.text != "" and most else Fraction(0))
    return sum(price(cell) for cell in cells)


def position_like(text):
    return text[:1].isdigit() or text[:1] in "+-."


def discernibility(case, release, domain, suppressed):
    """HDM: (N_e - N_v)/(N - N_v) of generalising v to the cell e, averaged over the columns and summed over rows; a suppressed
    row costs 1. None where one value is spelt in several ways, which may count as one value or as several."""
    columns = case.with_role("qi")
    total = Fraction(0)
    n = len(domain)
    for column in columns:
        at = case.index(column.name)
        raw = Counter(case.raw(row[at]) for row in domain)
        if len({identity(column, text) for text in raw}) != len(raw):
            return None
        within = {}
        for row, original in zip(release.rows, release.originals):
            cell = release.cell(column, row)
            if cell.text not in within:
                within[cell.text] = sum(count for text, count in raw.items() if cell.holds(column, text))
            same = raw[case.raw(original[at])]
            if n > same:
                total += Fraction(within[cell.text] - same, n - same)
    return total / len(columns) + suppressed


def agree(value, allowed, digits=4):
    """Whether a printed loss is one of the allowed values, rounded to so many significant digits or better."""
    return any(math.isclose(value, float(right), rel_tol=0.51 * 10 ** (1 - digits), abs_tol=1e-9) for right in allowed)
