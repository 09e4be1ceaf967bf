"""Runs a case and checks everything that must hold of what comes out."""


from fractions import Fraction
import json
import os
import re

from . import formats, generate, losses, reference
from .case import run
from .values import Cell, day, identity, instant, number, position

# Digits of a longer number, of a loss for example, are no value of the table.
MARKS = tuple(re.compile(mark) for mark in (generate.QI_MARK, generate.SENSITIVE_MARK, generate.SECRET_MARK,
                                            r"(?<![\d.])" + str(generate.MARKED_NUMBER)[:6]))


class Report:
    """What was found in one case."""

    def __init__(self, binary, folder, skip=()):
        self.binary, self.folder, self.skip = binary, folder, skip
        self.findings, self.checks, self.outcome, self.refusal = [], 0, "released", None
        self.commands, self.seconds = [], 0.0

    def check(self, name, holds, message):
        """Counts a check, and keeps the message where it does not hold."""
        self.checks += 1
        if not holds and name not in self.skip:
            self.findings.append((name, message))
        return holds

    def run(self, args, prints_values=False):
        """Runs klimt, and checks what every run must keep to: no bug, and no value of the table in what it says, nor in what it
        prints but where it is asked for values."""
        done = run(self.binary, args)
        self.commands.append(done.command())
        crashed = done.code not in (0, 1, 2, 3) or "panicked" in done.err
        self.check("crash", not crashed, f"exit code {done.code} of {args[0]}: {done.err.strip()[-400:]}")
        # The folder has a random name, which may look like a value.
        err, out = (text.replace(os.path.basename(self.folder), "") for text in (done.err, done.out))
        for mark in MARKS:
            self.check("message-leak", not mark.search(err), f"{args[0]} says a value of the table: {line_with(mark, err)}")
            self.check("output-leak", prints_values or not mark.search(out), f"{args[0]} prints a value of the table: {line_with(mark, out)}")
        return done


def line_with(mark, text):
    return next((line for line in text.splitlines() if mark.search(line)), "")[:300]


class Release:
    """A release beside its original: rows are matched by the key `pid`, which is kept."""

    def __init__(self, case, names, rows):
        self.case, self.names, self.rows = case, names, rows
        self.place = {name: at for at, name in enumerate(names)}
        key = case.index("pid")
        by_key = {row[key]: row for row in case.rows}
        self.keys = [row[self.place["pid"]] for row in rows]
        self.originals = [by_key.get(key, None) for key in self.keys]
        self.cells = {}
        self.groups = {}
        for row, original in zip(rows, self.originals):
            self.groups.setdefault(self.tuple(row), []).append((row, original))

    def tuple(self, row):
        """What is published of the quasi-identifiers: rows that share it are a group."""
        return tuple(row[self.place[column.name]] for column in self.case.with_role("qi"))

    def cell(self, column, row):
        text = row[self.place[column.name]]
        key = (column.name, text)
        if key not in self.cells:
            self.cells[key] = Cell(column, text)
        return self.cells[key]

    def values(self, group, name):
        """The published values of a column in a group; empty where they are missing."""
        return [self.case.raw(row[self.place[name]]) for row, _ in group]


def check_case(case, report):
    """The whole of a case: the job, the release, what klimt says of it. Returns the release, or None."""
    folder = report.folder
    case.write(folder)
    done = report.run(case.anonymize(folder))
    if case.expect is not None:
        report.outcome = "refused as expected"
        report.check("raw-star", done.code == case.expect, f"a raw value * gives exit code {done.code}")
        return None
    report.seconds = done.seconds
    path = case.release(folder)
    if done.code != 0:
        refused(case, report, done, path)
        return None
    names, rows = case.read_release(path)
    if not columns_are_right(case, report, names):
        return None
    release = Release(case, names, rows)
    if not rows_add_up(case, report, release):
        return release
    cells_hold(case, report, release)
    if report.findings:
        return release
    kept_unchanged(case, report, release)
    nulls_are_kept(case, report, release, path)
    statistics_are_right(case, report, release)
    requirements_hold(case, report, release)
    certificate = check_certificate(case, report, release, path)
    check_measure(case, report, release, path, certificate)
    check_verify(case, report, path)
    no_secrets(case, report, [path, path + ".certificate.json", os.path.join(folder, "recoding.json")])
    return release


def refused(case, report, done, path):
    """A job without a release: nothing is written, and exit code 1 only where the requirements cannot be met."""
    report.outcome = f"refused {done.code}"
    first = (done.err.strip().splitlines() or [""])[-1 if "error" not in done.err else 0]
    first = next((line for line in done.err.splitlines() if line.startswith("error")), first)
    report.refusal = f"{done.code}: " + re.sub(r"\S*/[\w./]+", "FILE", re.sub(r"\d+", "N", first))[:110]
    report.check("refused-output", not os.path.exists(path), "a refused job leaves a release")
    restricted = case.option("--levels") or any(r["flag"] == "min-width" for r in case.requirements)
    if done.code == 1 and not restricted:
        whole = reference.feasible(case, case.rows)
        report.check("wrongly-refused", not whole, f"all rows satisfy every requirement, but: {done.err.strip()[-300:]}")


def columns_are_right(case, report, names):
    """The release has the quasi-identifiers, the kept columns and the statistics, and nothing else."""
    wanted = {column.name for column in case.with_role("qi")} | {column.name for column in case.kept()}
    asked = (case.option("--statistics") or "").split(",")
    extra = {f"{column.name}_{end}" for column in case.with_role("qi") for end in ("min", "max", "mean")} if asked != [""] else set()
    right = wanted <= set(names) <= wanted | extra and len(names) == len(set(names))
    return report.check("columns", right, f"published columns {sorted(names)}, expected {sorted(wanted)}")


def rows_add_up(case, report, release):
    """Every published row is a row of the table, none twice; rows are left out only where that was granted."""
    known = report.check("rows", None not in release.originals, "a published row has a key that no row has")
    known &= report.check("rows", len(set(release.keys)) == len(release.keys), "a row is published twice")
    missing = len(case.rows) - len(release.rows)
    granted = case.option("--suppress")
    share = Fraction(0) if granted is None else Fraction(1) if granted == "unlimited" else Fraction(granted.rstrip("%")) / 100
    within = missing <= share * len(case.rows)
    return known and report.check("suppression", within, f"{missing} of {len(case.rows)} rows are left out, {granted} granted")


def cells_hold(case, report, release):
    """Every published value contains its original, and no end or member is only that of a suppressed row."""
    suppressed = len(release.rows) < len(case.rows)
    for column in case.with_role("qi"):
        at = case.index(column.name)
        seen = {case.raw(original[at]) for original in release.originals}
        for row, original in zip(release.rows, release.originals):
            cell, raw = release.cell(column, row), case.raw(original[at])
            report.check("contains", cell.holds(column, raw), f"{column.name} ({column.kind}): {raw!r} is published as {cell.text!r}")
        if suppressed:
            check_suppressed(report, release, column, seen)


def check_suppressed(report, release, column, seen):
    """Ends of intervals lie within the range of the published rows; members of sets are values of published rows."""
    for cell in [release.cell(column, row) for row in release.rows]:
        if cell.interval is not None and column.kind != "ordinal":
            places = [position(column, text) for text in seen if text != ""]
            inside = not places or (min(places) <= cell.interval[0] and cell.interval[1] <= max(places))
            report.check("suppressed-leak", inside, f"{column.name}: {cell.text!r} reaches to a suppressed row")
        if cell.members is not None and column.kind in ("category", "boolean"):
            known = {identity(column, text) for text in seen}
            extra = {member for member in cell.members if identity(column, member) not in known}
            report.check("suppressed-leak", not extra, f"{column.name}: {cell.text!r} has a value of suppressed rows only")


def kept_unchanged(case, report, release):
    """Kept columns are published as they are; from text to a columnar file values get types, so that they are equal by value."""
    typed = formats.is_columnar(case.dialect["output"])
    for column in case.kept():
        at, place = case.index(column.name), release.place[column.name]
        for row, original in zip(release.rows, release.originals):
            raw = case.raw(original[at])
            same = row[place] == original[at] or (row[place] == "" and raw == "")
            same = same or typed and identity(column, row[place]) == identity(column, raw)
            report.check("kept", same, f"{column.name}: {original[at]!r} is published as {row[place]!r}")


def nulls_are_kept(case, report, release, path):
    """Empty texts and NULLs of kept columns survive from one columnar file to another."""
    if not (formats.is_columnar(case.dialect["input"]) and formats.is_columnar(path)):
        return
    table = formats.columnar(path)
    for column in case.with_role("insensitive"):
        at = case.index(column.name)
        for value, original in zip(table.column(column.name).to_pylist(), release.originals):
            if original[at] == "":
                wanted = "" if case.is_empty_text(column.name, original) else None
                report.check("nulls", value == wanted, f"{column.name}: {wanted!r} is published as {value!r}")


def statistics_are_right(case, report, release):
    """NAME_min, NAME_max and NAME_mean are those of the rows of the group."""
    for column in case.with_role("qi"):
        for end in ("min", "max", "mean"):
            place = release.place.get(f"{column.name}_{end}")
            if place is None:
                continue
            at = case.index(column.name)
            # Leaves of a hierarchy that only guides a scheme are numbers, days or instants like others.
            place_of = measured if column.kind == "taxonomy" else lambda text: position(column, text)
            for group in release.groups.values():
                places = [place_of(case.raw(o[at])) for _, o in group if case.raw(o[at]) != ""]
                told = {row[place] for row, _ in group}
                report.check("statistics", len(told) == 1, f"{column.name}_{end} differs within a group: {sorted(told)}")
                text = told.pop()
                if not places or text in ("", "*"):
                    report.check("statistics", text in ("", "*"), f"{column.name}_{end} is {text!r} without values")
                    continue
                right = {"min": min, "max": max, "mean": lambda p: sum(p) / len(p)}[end](places)
                told = place_of(text)
                close = told is not None and abs(told - right) <= (abs(right) / 10**12 if end == "mean" else 0)
                report.check("statistics", close, f"{column.name}_{end} is {text!r}, by definition {float(right)}")


def measured(text):
    """Where a number, a day or an instant lies on its axis."""
    return next((place for place in (number(text), day(text), instant(text)) if place is not None), None)


def requirements_hold(case, report, release):
    """k and every other requirement, in every group; distributions are compared with the published rows and with all."""
    for group in release.groups.values():
        report.check("k", len(group) >= case.k, f"a group of {len(group)} rows, k = {case.k}")
    for requirement, held, where in judged(case, release):
        report.check("requirement", held is not False, f"{requirement} is violated{where}")


def judged(case, release):
    """(requirement, whether it holds, where) for every requirement and group."""
    for requirement in case.requirements:
        column = case.column(requirement["column"])
        at = case.index(column.name)
        every = [case.raw(row[at]) for row in case.rows]
        if requirement["flag"] != "min-width":
            published = [value for group in release.groups.values() for value in release.values(group, column.name)]
        for group in release.groups.values():
            if requirement["flag"] == "min-width":
                yield requirement, reference.wide_enough(requirement, column, release.cell(column, group[0][0])), \
                    f" by {release.cell(column, group[0][0]).text!r}"
                continue
            values = release.values(group, column.name)
            yield requirement, reference.holds(requirement, values, published, column), " (by the published rows)"
            if len(every) > len(published):
                yield requirement, reference.holds(requirement, values, every, column), " (by all rows)"


def check_certificate(case, report, release, path):
    """Counts and losses of the certificate are those of the release."""
    with open(path + ".certificate.json", encoding="utf-8") as source:
        text = source.read()
    told = json.loads(text)
    sizes = [len(group) for group in release.groups.values()]
    rows = {"original": len(case.rows), "published": len(release.rows), "suppressed": len(case.rows) - len(release.rows)}
    report.check("certificate", told["rows"] == rows, f"the certificate says {told['rows']}, right is {rows}")
    groups = (len(sizes), min(sizes, default=0), max(sizes, default=0))
    said = tuple(told["groups"][name] for name in ("count", "smallest", "largest"))
    report.check("certificate", said == groups, f"groups (count, smallest, largest) {said}, right is {groups}")
    report.check("certificate", all(claim["holds"] for claim in told["reached"]), "a claim that does not hold")
    for mark in MARKS:
        report.check("certificate-leak", not mark.search(text), f"the certificate shows a value: {line_with(mark, text)}")
    compare(report, "certificate-loss", told["losses"], losses.measure(case, release))
    for name, loss in told["losses"].items():
        digits = len(repr(loss).split("e")[0].replace(".", "").lstrip("-0").rstrip("0"))
        if isinstance(loss, float) and loss != int(loss):
            report.check("rounded", digits <= 4 or name == "dm", f"the loss {name} is told with {digits} digits")
    return told


def compare(report, check, told, right):
    for name, allowed in right.items():
        if name in told:
            words = " or ".join(f"{float(value):.8g}" for value in allowed)
            report.check(check, losses.agree(told[name], allowed), f"{name} is {told[name]}, by definition {words}")


def check_measure(case, report, release, path, certificate):
    """`measure` agrees with the definitions and with the certificate."""
    if formats.is_columnar(case.dialect["input"]) != formats.is_columnar(case.dialect["output"]):
        return
    flags = case.role_flags(report.folder, ("qi", "target")) + ["-k", str(case.k), "--json"] + case.format_flags()
    done = report.run(["measure", case.table(report.folder), path] + flags)
    if not report.check("measure", done.code == 0, f"measure fails: {done.err.strip()[-300:]}"):
        return
    told = json.loads(done.out)
    compare(report, "measure-loss", told["losses"], losses.measure(case, release))
    for name, loss in certificate["losses"].items():
        if name in told["losses"]:
            report.check("measure-certificate", losses.agree(loss, [told["losses"][name]]) or len(release.rows) < len(case.rows),
                         f"{name} is {told['losses'][name]} by measure and {loss} in the certificate")


def verify_flags(case, folder):
    return case.role_flags(folder, ("qi", "sensitive")) + case.requirement_flags()


def check_verify(case, report, path):
    done = report.run(["verify", path] + verify_flags(case, report.folder))
    report.check("verify", done.code == 0, f"verify refuses the release: {done.err.strip()[-400:]}")


def no_secrets(case, report, paths):
    """No identifier and no dropped column in any file; no sensitive value in a recoding function."""
    for path in filter(os.path.exists, paths):
        data = formats.raw_bytes(path)
        if case.secret():
            report.check("secret", generate.SECRET_MARK.encode() not in data or case.other == "keep",
                         f"{os.path.basename(path)} holds a value of a column that is not published")
        if path.endswith("recoding.json"):
            report.check("secret", generate.SENSITIVE_MARK.encode() not in data, "the recoding holds a sensitive value")


def groups_by_key(release):
    """The published values of every row, by its key."""
    return dict(zip(release.keys, (release.tuple(row) for row in release.rows)))


def partition(release):
    """The groups as sets of keys."""
    return {frozenset(row[release.place["pid"]] for row, _ in group) for group in release.groups.values()}


