"""The flags of a random job: requirements that the whole table satisfies, an algorithm, and what goes with it."""

from . import generate, reference, workload
from .case import named
from .values import MEASURED, is_ordered

SCHEMES = ["bhs", "ghs", "ops", "gops", "sps", "gsps"]
LOSSES = ["ncp", "dm", "c_avg", "hdm", "vm", "entropy", "granularity", "precision"]
ALGORITHMS = (["mondrian"] * 8 + ["auto", "relaxed", "rtree", "rtree", "rothko-t", "rothko-s", "optimal", "optimal",
              "gensearch", "scheme", "scheme", "scheme", "local", "local"])


def add(random, made):
    """Adds requirements and flags to a case."""
    for column in made.with_role("sensitive"):
        for _ in range(random.choice([0, 1, 1, 2])):
            add_requirement(random, made, column)
    if random.random() < 0.12:
        add_width(random, made)
    algorithm(random, made)
    common(random, made)


def add_requirement(random, made, column):
    """A requirement of a sensitive column; one that all rows together violate is mostly dropped."""
    distances = ["equal"] + (["ordered"] if is_ordered(column) else []) + (
        ["hierarchical"] if column.kind == "taxonomy" and balanced(made, column) else [])
    choices = [
        ("l-diversity", f"distinct:{random.choice([2, 2, 3])}"),
        ("l-diversity", f"entropy:{random.choice(['1.5', '2', '2.3'])}"),
        ("l-diversity", f"recursive:{random.choice(['1.5', '2', '3'])}:{random.choice([1, 2, 2, 3])}"),
        ("alpha", random.choice(["0.4", "0.5", "0.7", "0.9"])),
        ("t-closeness", f"{random.choice(['0.1', '0.2', '0.35', '0.5'])}:{random.choice(distances)}"),
        ("epsilon-privacy", random.choice(["10:5", "3:4:1", "20:10:0", "4:2:2"])),
        ("beta-likeness", random.choice(["basic:1", "basic:2.5", "enhanced:2", "enhanced:1", "3"])),
        ("delta-disclosure", random.choice(["0.7", "1.5", "3"])),
    ]
    if column.kind in ("integer", "decimal"):
        choices += [("variance", random.choice(["0.5", "3", "50"]))] * 2
    flag, text = random.choice(choices)
    if any(other["flag"] == flag and other["column"] == column.name for other in made.requirements):
        return
    made.requirements.append({"flag": flag, "column": column.name, "text": text})
    if not reference.feasible(made, made.rows) and random.random() < 0.95:
        made.requirements.pop()


def balanced(made, column):
    """Whether the hierarchical distance is defined without doubt: all leaves as deep, and no value missing."""
    at = made.index(column.name)
    return len({len(path) for path in column.paths}) == 1 and all(made.raw(row[at]) != "" for row in made.rows)


def add_width(random, made):
    column = random.choice(made.with_role("qi"))
    if column.kind in MEASURED:
        range_ = generate.spread(made, column.name)
        limit = range_ / random.choice([2, 4, 10]) if range_ else 0
        if limit >= 1:
            made.requirements.append({"flag": "min-width", "column": column.name, "text": str(int(limit))})
    elif column.kind in ("category", "taxonomy", "ordinal"):
        at = made.index(column.name)
        values = {made.raw(row[at]) for row in made.rows} - {""}
        if len(values) > 2:
            made.requirements.append({"flag": "min-width", "column": column.name, "text": "2"})


def algorithm(random, made):
    """The algorithm and its own flags."""
    name = random.choice(ALGORITHMS)
    options = made.options
    targets = made.with_role("target")
    if name == "relaxed":
        options += [["--algorithm", "mondrian"], ["--partitioning", "relaxed"]]
    elif name != "mondrian" or random.random() < 0.5:
        options.append(["--algorithm", name])
    if name in ("mondrian", "rothko-t", "rothko-s"):
        splits = ["median"] * 3 + ["box", "box:area", "loss:" + random.choice(LOSSES)]
        if name != "mondrian":
            splits = ["median"] * 3 + ["box", "loss:ncp", "loss:dm"]
        if targets:
            splits += ["infogain", "infogain", "infogain:0.01"] + (["regression"] * 2 if targets[0].kind == "integer" else [])
        options.append(["--split", random.choice(splits)])
    if name.startswith("rothko"):
        options.append(["--memory", random.choice(["16MB", "64MB"])])
    if name == "rtree":
        if random.random() < 0.5:
            base = random.randint(2, made.k)
            options.append(["--base-k", str(base)])
            if random.random() < 0.5 and base < made.k:
                options.append(["--by", random.choice(["leaf-scan", "level"])])
        if random.random() < 0.3:
            options.append(["--leaf-capacity", str(random.choice([2, 3]))])
        if random.random() < 0.3:
            options.append(["--prefer", named(random.choice(made.with_role("qi")).name)])
    if name in ("optimal", "gensearch", "local", "scheme"):
        options.append(["--time-limit", "2s"])
        if random.random() < 0.5:
            options.append(["--loss", random.choice(LOSSES[:5] + (["cm"] if targets else []))])
        if name in ("optimal", "gensearch") and random.random() < 0.2:
            options.append(["--gap", "1.05"])
    if name == "gensearch" and random.random() < 0.4:
        options.append(random.choice([["--priority", random.choice(["bound", "cost", "ratio"])], ["--queue", "50"],
                                      ["--lookahead", "0"], ["--start", random.choice(["whole", "mondrian", "optimal"])]]))
    if name == "scheme" and random.random() < 0.3:
        options.append(["--direction", random.choice(["bottom-up", "top-down", "auto"])])
    if random.random() < 0.12 and name in ("mondrian", "rothko-t", "rothko-s", "rtree", "optimal") \
            and not made.option("--loss"):
        made.queries = workload.queries(random, made)
        if made.queries:
            options.append(["--workload", "WORKLOAD"])
    if name == "gensearch" and random.random() < 0.6:
        options.append(["--splits", random.choice(["every", "equal-width:3", "equal-count:4", "at-most:6"])])
    if name == "gensearch" and random.random() < 0.2:
        options.append(["--as-published"])
    if name == "scheme":
        schemes(random, made)
    if name in ("mondrian", "rtree") and random.random() < 0.15:
        options.append(["--effort", random.choice(["balanced", "best"])])
        options.append(["--time-limit", "2s"])
    if name in ("mondrian", "relaxed") and random.random() < 0.2 and not made.option("--effort") \
            and "box" not in (made.option("--split") or ""):
        options.append(["--hierarchy-cut", random.choice(["nodes", "leaves", "both"])])


def schemes(random, made):
    """A scheme for some of the columns, which its kind allows."""
    for column in made.with_role("qi"):
        if random.random() < 0.3:
            continue
        if column.kind == "taxonomy":
            allowed = SCHEMES
        elif is_ordered(column):
            allowed = ["ops", "sps"]
        else:
            allowed = ["sps"]
        made.options.append(["--scheme", f"{named(column.name)}={random.choice(allowed)}"])
        if column.kind == "taxonomy" and random.random() < 0.2:
            made.options.append(["--levels", f"{named(column.name)}={random.choice(['0..', '1..', '..5'])}"])


def common(random, made):
    """Flags that most algorithms take."""
    name = made.option("--algorithm") or "mondrian"
    options = made.options
    outside = name.startswith("rothko")
    relaxed = made.option("--partitioning") == "relaxed"
    if random.random() < 0.35 and name != "local" and not relaxed:
        options.append(["--extent", random.choice(["region", "region", "compact"])])
    if random.random() < 0.25:
        options.append(["--statistics", random.choice(["range", "mean", "range,mean"])])
    if random.random() < 0.25 and not outside:
        options.append(["--suppress", random.choice(["5%", "10%", "30%"] + (["unlimited"] if name == "scheme" else []))])
    if random.random() < 0.1 and not outside:
        options.append(["--keep-order"])
    if random.random() < 0.5:
        options.append(["--threads", random.choice(["1", "2"])])
    recodes = name not in ("local", "rtree") or (name == "rtree" and not made.option("--base-k"))
    if recodes and not relaxed and random.random() < 0.35:
        options.append(["--save-recoding", "RECODING"])
    options.append(["--seed", str(random.randrange(100))])
