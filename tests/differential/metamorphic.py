"""Changes of a job that must not change its groups: threads, the order of rows and of other columns, weaker requirements."""

from collections import Counter
import json
import os

from . import formats
from .check import Release, groups_by_key, verify_flags
from .values import identity

# Searches end by the clock: only what was found well before the limit is compared.
QUICK = 1.0


def check_variant(case, release, report, random):
    """One variant of the job, compared with the release."""
    compare(case, release, report, random, random.choice(list(VARIANTS)))


def check_memory(case, release, report, random):
    compare(case, release, report, random, "memory")


def check_format(case, release, report, random):
    """The same release as Parquet or Arrow: `verify` finds in it what it finds in the text."""
    if formats.pyarrow is None or formats.is_columnar(case.dialect["output"]):
        return
    variant = case.copy(dialect=dict(case.dialect, output=random.choice([".parquet", ".arrow"])))
    folder = os.path.join(report.folder, "columnar")
    variant.write(folder)
    done = report.run(variant.anonymize(folder))
    if not report.check("columnar", done.code == 0, f"a columnar output ends with {done.code}: {done.err.strip()[-200:]}"):
        return
    if max(done.seconds, report.seconds) > QUICK and case.option("--time-limit"):
        return
    found = []
    for one, where in ((case, report.folder), (variant, folder)):
        done = report.run(["verify", one.release(where), "--json"] + verify_flags(case, report.folder))
        if not report.check("columnar", done.code == 0, f"verify refuses {one.dialect['output']}: {done.err.strip()[-200:]}"):
            return
        told = json.loads(done.out)
        found.append([told["findings"], told["claims"]])
    report.check("columnar", found[0] == found[1], f"verify finds {found[1]} in the columnar file, {found[0]} in the text")


def compare(case, release, report, random, name):
    made = VARIANTS[name](case, random)
    if made is None:
        return
    variant, same_bytes = made
    folder = os.path.join(report.folder, "variant")
    variant.write(folder)
    done = report.run(variant.anonymize(folder))
    check = "metamorphic-" + name.replace(" ", "-")
    if not report.check(check, done.code == 0, f"{name}: the variant ends with {done.code}: {done.err.strip()[-200:]}"):
        return
    slowest = max(done.seconds, report.seconds)
    if slowest > QUICK and case.option("--time-limit"):
        return
    names, rows = variant.read_release(variant.release(folder))
    published = Release(variant, names, rows)
    alike = groups_by_content if name == "row order" and case.option("--algorithm") == "local" else groups_by_key
    report.check(check, alike(published) == alike(release), f"{name}: the same rows are published differently")
    if same_bytes:
        same = formats.raw_bytes(variant.release(folder)) == formats.raw_bytes(case.release(report.folder))
        report.check(check, same, f"{name}: the files differ")


def groups_by_content(release):
    """How often equal rows are published as what. Local recoding may part equal rows, and which of them goes where is open."""
    columns = [(column, release.case.index(column.name)) for column in release.case.with_role("qi")]
    content = lambda row: tuple(identity(column, release.case.raw(row[at])) for column, at in columns)
    return Counter((content(original), release.tuple(row)) for row, original in zip(release.rows, release.originals))


def threads(case, random):
    """Another number of threads: the same bytes, as the seed is the same."""
    now = case.option("--threads")
    options = [option for option in case.options if option[0] != "--threads"]
    return case.copy(options=options + [["--threads", "1" if now != "1" else "2"]]), True


def row_order(case, random):
    """The rows in another order."""
    variant = case.copy()
    random.shuffle(variant.rows)
    return variant, False


def column_order(case, random):
    """Columns stand elsewhere, but those of a role keep their order: it numbers the quasi-identifiers, the first target counts,
    and boxes pick rows by a hash of what they hold, sensitive values in the order of their columns included."""
    order = random.sample(range(len(case.columns)), len(case.columns))
    for role in ("qi", "sensitive", "target"):
        places = [place for place, at in enumerate(order) if case.columns[at].role == role]
        for place, at in zip(places, sorted(order[place] for place in places)):
            order[place] = at
    variant = case.copy()
    variant.columns = [variant.columns[at] for at in order]
    variant.rows = [[row[at] for at in order] for row in case.rows]
    return variant, False


def weaker(case, random):
    """A requirement that every group satisfies. Boxes pick rows by a hash of all that requirements look at, and a search for
    better cuts takes another way where that is more than sizes: both may find other groups."""
    columns = case.with_role("sensitive")
    boxes = case.option("--algorithm") in ("rtree", "auto") or "box" in (case.option("--split") or "")
    if not columns or boxes or case.option("--effort"):
        return None
    flag, text = random.choice([("l-diversity", "distinct:1"), ("alpha", "1"), ("l-diversity", "recursive:2:1")])
    taken = any(r["flag"] == flag for r in case.requirements)
    if taken:
        return None
    variant = case.copy()
    variant.requirements.append({"flag": flag, "column": random.choice(columns).name, "text": text})
    return variant, True


def weight(case, random):
    """The weight that a column has anyway, said aloud."""
    column = random.choice(case.with_role("qi"))
    if column.weight:
        return None
    variant = case.copy()
    variant.column(column.name).weight = "1"
    return variant, True


def memory(case, random):
    """Rothko-T makes the same groups with any budget."""
    if case.option("--algorithm") != "rothko-t":
        return None
    options = [option for option in case.options if option[0] != "--memory"]
    return case.copy(options=options + [["--memory", "1GB"]]), False


VARIANTS = {"threads": threads, "row order": row_order, "column order": column_order, "weaker": weaker, "weight": weight,
            "memory": memory}
