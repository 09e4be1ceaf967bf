"""Short histories of a store: insert, update, delete, re-insert, release, compact. Every release of a history is checked beside
all earlier ones: by `verify --against --strict`, and by the definitions of docs/republication.md.

The key column `key` is never published. A copy of it, `pid`, is published as it is, so that rows can be told apart here.
"""

import os

from . import formats, generate, reference
from .case import Case, Column
from .check import Release

KINDS = ("integer", "decimal", "date", "category", "taxonomy", "boolean")


def generate_history(random, seed):
    """Columns and a pool of rows as a case, and the steps: each has rows or keys of its own."""
    size = random.choice([20, 40, 80])
    columns, values = [], []
    for name, role in [("age", "qi"), ("place", "qi"), ("since", "qi"), ("sens0", "sensitive")][-random.randint(2, 4) :]:
        while True:
            column, texts = generate.column(random, name, role, size)
            if column.kind in KINDS:
                break
        column.typed = column.kind in ("integer", "decimal", "date")
        chance = random.choice([0, 0, 0.1])
        texts = ["" if random.random() < chance else text for text in texts]
        columns.append(column)
        values.append(texts)
    columns += [Column("key", "identifier", "category"), Column("pid", "insensitive", "category")]
    rows = [list(row) for row in zip(*values)]
    base = random.choice([2, 3, 4])
    case = Case(columns, [], k=base, dialect=dict(formats.PLAIN), seed=seed)
    if random.random() < 0.5:
        flag, text = random.choice([("l-diversity", "distinct:2"), ("l-diversity", "entropy:1.5"), ("l-diversity", "recursive:3:2"),
                                    ("t-closeness", "0.5:equal"), ("alpha", "0.7")])
        case.requirements.append({"flag": flag, "column": "sens0", "text": text})
    known, steps, fresh = [], [], 0
    def insert(many, keys):
        batch = [random.choice(rows) + [key, key] for key in keys[:many]]
        known.extend(key for key in keys[:many] if key not in known)
        steps.append({"do": "insert", "rows": batch})
    insert(size, [f"p{at}" for at in range(size)])
    fresh = size
    for _ in range(random.randint(2, 7)):
        do = random.choice(["insert", "update", "delete", "again", "release", "release", "compact"])
        some = random.sample(known, min(len(known), random.choice([1, 3, base * 2, base * 5])))
        if do == "insert":
            insert(len(some), [f"p{fresh + at}" for at in range(len(some))])
            fresh += len(some)
        elif do == "update":
            steps.append({"do": "update", "rows": [random.choice(rows) + [key, key] for key in some]})
        elif do == "delete":
            steps.append({"do": "delete", "rows": [random.choice(rows) + [key, key] for key in some]})
        elif do == "again":
            # The same people go and come back with other values.
            steps.append({"do": "delete", "rows": [random.choice(rows) + [key, key] for key in some]})
            steps.append({"do": "insert", "rows": [random.choice(rows) + [key, key] for key in some]})
        elif do == "compact":
            steps.append({"do": "compact"})
        if do == "release" or random.random() < 0.3:
            steps.append({"do": "release", "k": random.choice([base, base + 1, base * 2]), "hold": random.random() < 0.6,
                          "by": random.choice(["leaf-scan", "leaf-scan", "level"])})
    steps.append({"do": "release", "k": random.choice([base, base * 2]), "hold": random.random() < 0.6})
    case.rows = steps[0]["rows"]
    return {"case": case, "steps": steps}


def check_history(case, history, report):
    """Plays a history, and checks every release of it."""
    folder = report.folder
    case.write(folder)
    store = os.path.join(folder, "store")
    roles = ("qi", "sensitive", "insensitive")
    done = report.run(["index", "create", store, "--like", case.table(folder), "--key", "key"] + case.role_flags(folder, roles)
                      + case.accept_flags() + case.requirement_flags())
    if done.code != 0:
        report.outcome, report.refusal = f"refused {done.code}", "store: " + done.err.strip()[:110]
        return
    names = [column.name for column in case.columns]
    table, releases, report.outcome = {}, [], "no release"
    for number, step in enumerate(history["steps"]):
        if step["do"] == "release":
            release_step(case, report, store, step, number, table, releases)
            continue
        args = ["index", step["do"], store]
        if "rows" in step:
            path = os.path.join(folder, f"batch{number}.csv")
            formats.write(path, names, step["rows"], formats.PLAIN)
            args += [path, "--header", "--delimiter", ","] + case.accept_flags()
        done = report.run(args)
        right = possible(step, table)
        report.check("store-batch", (done.code == 0) == right or done.code == 1,
                     f"{step['do']} ends with {done.code}, expected {'0' if right else 'a refusal'}: {done.err.strip()[-200:]}")
        if done.code == 0:
            take(step, table)


def possible(step, table):
    """Keys of an insert are new; keys of updates and deletions are there."""
    keys = [row[-1] for row in step.get("rows", [])]
    if step["do"] == "insert":
        return not any(key in table for key in keys)
    return all(key in table for key in keys)


def take(step, table):
    for row in step.get("rows", []):
        if step["do"] == "delete":
            table.pop(row[-1], None)
        else:
            table[row[-1]] = row


def release_step(case, report, store, step, number, table, releases):
    """One release: by itself, and beside the earlier ones."""
    path = os.path.join(report.folder, f"release{number}.csv")
    flags = ["-k", str(step["k"]), "-o", path, "--seed", "1"] + (["--hold-back"] if step["hold"] else [])
    flags += ["--by", step.get("by", "leaf-scan")]
    done = report.run(["index", "release", store] + flags)
    if done.code != 0:
        report.check("store-refused", not os.path.exists(path), "a refused release is there")
        return
    report.outcome = "released"
    now = case.copy(rows=list(table.values()), k=step["k"])
    release = Release(now, *formats.read(path, ","))
    if not report.check("store-rows", None not in release.originals and len(set(release.keys)) == len(release.keys),
                        "a published row is not in the store"):
        return
    if not step["hold"]:
        report.check("store-rows", len(release.rows) == len(table), f"{len(release.rows)} of {len(table)} rows are released")
    for column in now.with_role("qi"):
        at = now.index(column.name)
        for row, original in zip(release.rows, release.originals):
            cell = release.cell(column, row)
            report.check("store-contains", cell.holds(column, original[at]),
                         f"{column.name} ({column.kind}): {original[at]!r} is published as {cell.text!r}")
    sets = [[row[release.place["pid"]] for row, _ in group] for group in release.groups.values()]
    judge(now, report, "store-group", sets, release, step["k"])
    if releases:
        beside(case, report, release, releases)
        earlier = [older_path for older_path, _ in reversed(releases)]
        flags = case.role_flags(report.folder, ("qi", "sensitive")) + case.requirement_flags()
        for name, strict in (("store-against", []), ("store-strict", ["--strict"])):
            done = report.run(["verify", path, "--key", "pid"] + flags + strict + ["--against"] + earlier)
            report.check(name, done.code == 0, f"verify --against {' '.join(strict)} fails: {done.err.strip()[-300:]}")
    releases.append((path, release))


def beside(case, report, release, releases):
    """Candidates of every person over all releases that it is in, and who joined and left since each earlier one."""
    every = [older for _, older in releases] + [release]
    group_of = [dict(zip(one.keys, (one.tuple(row) for row in one.rows))) for one in every]
    candidates = {}
    for key in {key for groups in group_of for key in groups}:
        inside = [at for at, groups in enumerate(group_of) if key in groups]
        if len(inside) < 2:
            continue
        history = tuple((at, group_of[at][key]) for at in inside)
        if history not in candidates:
            alike = set.intersection(*({other for other, group in group_of[at].items() if group == mine} for at, mine in history))
            candidates[history] = (inside[-1], sorted(alike))
    for newest, alike in candidates.values():
        judge(case, report, "store-candidates", [alike], every[newest], case.k)
    for old, older in zip(group_of[:-1], every):
        for mine, other, of in ((group_of[-1], old, release), (old, group_of[-1], older)):
            changed = {}
            for key, group in mine.items():
                if key not in other:
                    changed.setdefault(group, []).append(key)
            judge(case, report, "store-differences", list(changed.values()), of, case.k)


def judge(case, report, name, sets, release, k):
    """Every set of people has k members and satisfies the requirements, by the values of a release."""
    row_of = dict(zip(release.keys, release.rows))
    for members in sets:
        report.check(name, len(members) >= k, f"{len(members)} people where {k} are promised")
        for requirement in case.requirements:
            column = case.column(requirement["column"])
            place = release.place[column.name]
            whole = [row[place] for row in release.rows]
            held = reference.holds(requirement, [row_of[key][place] for key in members], whole, column)
            report.check(name, held is not False, f"{requirement} is violated among {len(members)} people")
