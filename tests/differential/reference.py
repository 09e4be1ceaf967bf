"""The requirements, by their definitions and in exact fractions.

`holds(requirement, group, whole, column, tree)` tells whether a group of sensitive values satisfies a requirement:
values are compared as `values.identity` says, and a missing value is a value like any other. The answer is None where a
logarithm is so close to its limit that floating point cannot tell.
"""

from collections import Counter
from fractions import Fraction
import math

from .values import identity, is_ordered, position

CLOSE = 1e-9


def parameters(requirement):
    """The kind of a requirement, and its numbers as exact fractions."""
    parts = requirement["text"].split(":")
    flag = requirement["flag"]
    if flag == "l-diversity":
        kind = parts.pop(0) if parts[0].isalpha() else "distinct"
    elif flag in ("t-closeness", "beta-likeness"):
        kind = next((part for part in parts if part.isalpha()), None)
        parts = [part for part in parts if not part.isalpha()]
    else:
        kind = None
    return kind, [Fraction(part) for part in parts]


def holds(requirement, group, whole, column):
    """Whether the sensitive values of a group satisfy a requirement; `whole` is what they are compared with."""
    kind, numbers = parameters(requirement)
    counts = sorted(Counter(identity(column, text) for text in group).values(), reverse=True)
    n = len(group)
    flag = requirement["flag"]
    if flag == "l-diversity" and kind == "distinct":
        return len(counts) >= numbers[0]
    if flag == "l-diversity" and kind == "entropy":
        return entropy_at_least(counts, n, numbers[0])
    if flag == "l-diversity":
        # Recursive (c,l): x1 < c (x_l + ... + x_m); l = 1 always holds.
        c, l = numbers[0], int(numbers[1])
        return l == 1 or counts[0] < c * sum(counts[l - 1 :])
    if flag == "alpha":
        return Fraction(counts[0], n) <= numbers[0]
    if flag == "variance":
        return variance(column, group) >= numbers[0]
    if flag == "epsilon-privacy":
        return epsilon_private(numbers, counts[0], n)
    shares = difference(column, group, whole)
    if flag == "t-closeness":
        return distance(kind, column, shares) <= numbers[0]
    if flag == "beta-likeness":
        return beta_like(kind or "enhanced", numbers[0], shares)
    if flag == "delta-disclosure":
        return delta_disclosed(float(numbers[0]), shares)
    raise ValueError(flag)


def entropy_at_least(counts, n, l):
    """-sum p log p >= log l, without logarithms: n^n >= l^n prod c^c for the counts c."""
    product = math.prod(c**c for c in counts)
    return n**n * l.denominator**n >= l.numerator**n * product


def variance(column, group):
    """The population variance of the numbers of a group; missing values do not count."""
    numbers = [position(column, text) for text in group if text != ""]
    if not numbers:
        return Fraction(0)
    mean = sum(numbers) / len(numbers)
    return sum((x - mean) ** 2 for x in numbers) / len(numbers)


def epsilon_private(numbers, commonest, n):
    """Class II: n - b >= (s + b)/(e - 1), and n(s)/(n - b) <= 1 - 1/(e' + d) for the commonest value."""
    epsilon, sigma, b = (numbers + [Fraction(0)])[:3]
    known = n - b
    if known <= 0 or known < (sigma + b) / (epsilon - 1):
        return False
    delta = (epsilon - 1) * known / (sigma + b)
    less = epsilon * (1 - 1 / (sigma + b))
    return Fraction(commonest) / known <= 1 - 1 / (less + delta)


def difference(column, group, whole):
    """For every value of the whole, its share p in the group and q in the whole, as {value: (p, q)}."""
    mine = Counter(identity(column, text) for text in group)
    all_ = Counter(identity(column, text) for text in whole)
    return {value: (Fraction(mine[value], len(group)), Fraction(count, len(whole))) for value, count in all_.items()}


def distance(kind, column, shares):
    """The earth mover's distance between the two distributions."""
    if kind is None:
        kind = "ordered" if is_ordered(column) else "equal"
    gaps = {value: p - q for value, (p, q) in shares.items()}
    if kind == "equal":
        return sum(abs(gap) for gap in gaps.values()) / 2
    if kind == "ordered":
        if column.kind == "ordinal":
            key = lambda value: (value is None, column.order.index(value) if value in column.order else 0)
        else:
            key = lambda value: (value is None, value if value is not None else 0)
        run = total = Fraction(0)
        for value in sorted(gaps, key=key):
            run += gaps[value]
            total += abs(run)
        return total / (len(gaps) - 1) if len(gaps) > 1 else total
    # Hierarchical: every node moves between its children what they have too much and too little, at the cost of its
    # height over the height of the tree.
    tree = column.tree
    total = Fraction(0)
    for level in range(1, tree.height + 1):
        below = {}
        for leaf, path in tree.paths.items():
            children = below.setdefault(path[level], {})
            children[path[level - 1]] = children.get(path[level - 1], 0) + gaps.get(leaf, 0)
        for children in below.values():
            over = sum(gap for gap in children.values() if gap > 0)
            under = -sum(gap for gap in children.values() if gap < 0)
            total += Fraction(level, tree.height) * min(over, under)
    return total


def beta_like(kind, beta, shares):
    """(p - q)/q <= beta for every value with p > q; enhanced: <= min(beta, -ln q)."""
    close = False
    for p, q in shares.values():
        if p <= q:
            continue
        gain = (p - q) / q
        if gain > beta:
            return False
        if kind == "enhanced":
            limit = -math.log(q)
            if float(gain) > limit + CLOSE:
                return False
            close = close or float(gain) > limit - CLOSE
    return None if close else True


def delta_disclosed(delta, shares):
    """|log(p/q)| < delta for every value of the whole, so that each of them occurs in the group."""
    worst = 0.0
    for p, q in shares.values():
        if p == 0:
            return False
        worst = max(worst, abs(math.log(p / q)))
    return None if abs(worst - delta) < CLOSE else worst < delta


def width(column, cell):
    """The width of a published cell: distance of the ends, leaves or members; None for `*`, which has no width."""
    if cell.text == "*":
        return None
    if cell.interval is not None:
        return cell.interval[1] - cell.interval[0]
    if cell.text == "":
        return Fraction(0)
    if cell.node is not None:
        return Fraction(len(cell.members))
    return Fraction(cell.count)


def wide_enough(requirement, column, cell):
    """The length restriction of one published cell."""
    reached = width(column, cell)
    return reached is None or reached >= Fraction(requirement["text"])


def feasible(case, rows):
    """Whether all rows as one group satisfy every requirement of sensitive columns and have k rows; None if unsure."""
    answer = len(rows) >= case.k
    for requirement in case.requirements:
        if requirement["flag"] == "min-width":
            continue
        at = case.index(requirement["column"])
        values = [case.raw(row[at]) for row in rows]
        held = bool(values) and holds(requirement, values, values, case.columns[at])
        if held is False:
            return False
        answer = answer and held
    return answer
