"""What the texts of a column stand for: raw values by the column's kind, and published values.

A kind is what the generator meant a column to be:
  integer, decimal, date, timestamp   ordered, with a distance
  ordinal                             texts with an imposed order, whose distance is the difference of ranks
  taxonomy                            texts with a hierarchy
  category, boolean                   unordered texts
"""

from datetime import date, datetime, timedelta, timezone
from fractions import Fraction
import re

MEASURED = ("integer", "decimal", "date", "timestamp")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def number(text):
    """The exact value of a decimal number, or None."""
    return Fraction(text.rstrip(".") if "e" not in text.lower() else text.replace(".e", "e").replace(".E", "E")) \
        if NUMBER.match(text) else None


def instant(text):
    """Seconds since 1970 of a timestamp; without an offset it counts as UTC. None for other texts."""
    if len(text) < 16:
        return None
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return Fraction((moment - EPOCH) // timedelta(microseconds=1), 10**6)


def day(text):
    """Days since 1970, or None."""
    try:
        return Fraction((date.fromisoformat(text) - date(1970, 1, 1)).days) if len(text) == 10 else None
    except ValueError:
        return None


def position(column, text):
    """Where a value lies on the axis of an ordered column; None where it is no value of the column."""
    if column.kind in ("integer", "decimal"):
        return number(text)
    if column.kind == "date":
        return day(text)
    if column.kind == "timestamp":
        return instant(text)
    listed = column.order if column.kind == "ordinal" else column.tree.leaves if column.kind == "taxonomy" else []
    if text in listed:
        return Fraction(listed.index(text))
    return None


def is_ordered(column):
    return column.kind in MEASURED or column.kind == "ordinal"


def identity(column, text):
    """What makes two values of a column equal: the number, day, instant or truth value, else the text."""
    if text == "":
        return None
    if column.kind in MEASURED:
        at = position(column, text)
        return text if at is None else at
    return text.lower() if column.kind == "boolean" else text


class Tree:
    """A hierarchy, from its paths: leaf first, root last."""

    def __init__(self, paths):
        self.leaves = [path[0] for path in paths]
        self.under = {}
        self.parents = {}
        for path in paths:
            for label in path:
                self.under.setdefault(label, set()).add(path[0])
            for low, high in zip(path, path[1:]):
                self.parents[low] = high
        self.root = paths[0][-1]
        self.height = max(len(path) for path in paths) - 1
        self.paths = {path[0]: path for path in paths}


def set_members(text):
    r"""The members of a published set `{a|b}`, with `\` before a `|`, `{`, `}` or `\` of a member; None for other texts."""
    if len(text) < 2 or text[0] != "{" or text[-1] != "}":
        return None
    members, at, inner = [""], 0, text[1:-1]
    while at < len(inner):
        char = inner[at]
        if char == "\\" and at + 1 < len(inner):
            at += 1
            members[-1] += inner[at]
        elif char in "{}":
            return None
        elif char == "|":
            members.append("")
        else:
            members[-1] += char
        at += 1
    return members


def looks_published(text):
    """Whether a raw value could be taken for a published form; it is then published with a backslash before it."""
    form = text.lstrip("\\")
    dotted = len(form) > 3 and form[0] in "[(" and form[-1] in "])" and ".." in form[1:-1]
    return form == "*" or dotted or (len(form) > 1 and form[0] == "{" and form[-1] == "}")


def single(text):
    """The raw value that a published text is; None where it is `*`, a set or an interval."""
    if text[:1] == "\\" and looks_published(text[1:]):
        return text[1:]
    return None if looks_published(text) else text


def interval(column, text):
    """(low, high, low is included, high is included) of a published interval; None for other texts.

    The ends are divided at the first `..`. A backslash before a dot or a backslash of an end takes its meaning away.
    """
    if len(text) < 4 or text[0] not in "[(" or text[-1] not in "])":
        return None
    ends, at, inner = [""], 0, text[1:-1]
    while at < len(inner):
        if inner[at] == "\\" and inner[at + 1 : at + 2] in (".", "\\"):
            at += 1
            ends[-1] += inner[at]
        elif inner[at : at + 2] == ".." and len(ends) == 1:
            at += 1
            ends.append("")
        else:
            ends[-1] += inner[at]
        at += 1
    places = [position(column, end) for end in ends]
    return None if len(ends) < 2 or None in places else (*places, text[0] == "[", text[-1] == "]")


class Cell:
    """What a published text of a column stands for.

    everything   `*`, or the root of the hierarchy
    missing      whether the missing value is in it
    interval     (low, high, low included, high included) of an ordered column; a single value is an interval of one
    members      the texts of a category or taxonomy
    single       whether it was published as a value, not as a form
    """

    def __init__(self, column, text):
        self.text, self.interval, self.members, self.node = text, None, None, None
        self.everything = text == "*"
        self.missing = self.everything or text == ""
        self.single = text == ""
        self.sound = True
        if self.everything or text == "":
            return
        if is_ordered(column):
            raw = single(text)
            if raw is None:
                self.interval = interval(column, text)
            else:
                at = position(column, raw)
                self.interval = (at, at, True, True) if at is not None else None
            self.single, self.sound = raw is not None, self.interval is not None
        elif column.kind == "taxonomy":
            self._node(column, text)
        else:
            self._set(text)

    def _node(self, column, text):
        tree = column.tree
        if text not in tree.under:
            # Some schemes publish sets of leaves, or intervals of them in their order.
            ends = interval(column, text)
            if ends is not None:
                low, high = int(ends[0]) + (not ends[2]), int(ends[1]) - (not ends[3])
                self.members = set(tree.leaves[low : high + 1])
                self.count = len(self.members)
                return
            if set_members(text) is not None:
                self._set(text)
                return
            # Where these schemes publish leaves, they are raw values.
            text = single(text) or text
        self.node = text
        self.members = tree.under.get(text)
        self.sound = self.members is not None
        self.everything = text == tree.root
        self.single = text in tree.leaves
        # The root is published for rows with a missing value among others.
        self.missing = self.everything

    def _set(self, text):
        raw = single(text)
        members = set_members(text) if raw is None else [raw]
        self.single, self.sound = raw is not None, members is not None
        self.members = {member for member in members or [] if member != ""}
        self.missing, self.count = "" in (members or []), len(members or [])

    def holds(self, column, raw):
        """Whether a raw value (empty for the missing one) may be published as this."""
        if self.text == "*":
            return True
        if raw == "":
            return self.missing
        if self.text == "" or not self.sound:
            return False
        if is_ordered(column):
            at = position(column, raw)
            low, high, low_in, high_in = self.interval
            return (low < at or (low_in and low == at)) and (at < high or (high_in and at == high))
        if column.kind == "boolean":
            return raw.lower() in {member.lower() for member in self.members}
        return raw in self.members
