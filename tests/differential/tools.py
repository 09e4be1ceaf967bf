"""Commands that look at a table or a release: they end well, say no value, and count right."""

import json
import os

from . import formats, generate, workload
from .check import verify_flags


def check_tool(case, release, report, random):
    random.choice([check_report, check_query, check_attack, check_inspect, check_compare])(case, report, random)


def check_report(case, report, random):
    """The page about a release: by flags, or by what its certificate says."""
    page = os.path.join(report.folder, "page.html")
    files = any(column.order or column.paths for column in case.with_role("qi", "sensitive"))
    flags = verify_flags(case, report.folder) + ["--other", case.other] if files or random.random() < 0.5 else []
    if not flags and case.missing:
        flags = ["--missing=" + case.missing]
    if case.queries:
        flags = flags + ["--workload", os.path.join(report.folder, "workload.sql")]
    done = report.run(["report", case.table(report.folder), case.release(report.folder), "-o", page] + flags + case.format_flags())
    if report.check("report", done.code == 0, f"report ends with {done.code}: {done.err.strip()[-300:]}"):
        with open(page, encoding="utf-8") as source:
            report.check("secret", generate.SECRET_MARK not in source.read() or case.other == "keep",
                         "the page holds a value of a column that is not published")


def check_query(case, report, random):
    """Exact answers are those of the table, and the release is asked without a failure."""
    queries = case.queries or workload.queries(random, case)
    if not queries:
        return
    asked = case.copy(queries=queries)
    folder = os.path.join(report.folder, "asked")
    asked.write(folder)
    flags = asked.role_flags(folder, ("qi",)) + ["--json", "--workload", os.path.join(folder, "workload.sql")]
    args = ["query", asked.table(folder), case.release(report.folder)] + flags + case.format_flags()
    # The answer repeats the queries, which hold values: only what is said is looked at.
    done = report.run(args, prints_values=True)
    if report.check("query", done.code == 0, f"query ends with {done.code}: {done.err.strip()[-300:]}"):
        told = [one["exact"] for one in json.loads(done.out)["queries"]]
        right = [workload.count(case, query) for query in queries]
        report.check("query", told == right, f"exact answers {told}, right are {right}")


def check_attack(case, report, random):
    if not case.with_role("sensitive"):
        return
    flags = ["--attack"] + (["--background", case.table(report.folder)] if random.random() < 0.6 else [])
    if formats.is_columnar(case.dialect["input"]) != formats.is_columnar(case.dialect["output"]):
        flags = flags[:1]
    done = report.run(["verify", case.release(report.folder)] + verify_flags(case, report.folder) + case.format_flags() + flags)
    report.check("attack", done.code == 0, f"verify --attack ends with {done.code}: {done.err.strip()[-300:]}")


def check_inspect(case, report, random):
    said = ["--missing=" + case.missing] if case.missing else []
    done = report.run(["inspect", case.table(report.folder), "--json"] + case.format_flags() + said)
    report.check("inspect", done.code == 0, f"inspect ends with {done.code}: {done.err.strip()[-300:]}")


def check_compare(case, report, random):
    page = os.path.join(report.folder, "compare.html")
    flags = case.role_flags(report.folder) + ["--other", case.other, "--k", f"2,{case.k}", "--algorithms", "mondrian,rtree,local"]
    flags += case.accept_flags()
    done = report.run(["compare", case.table(report.folder), "-o", page, "--time", "1s"] + flags + case.format_flags())
    report.check("compare", done.code == 0, f"compare ends with {done.code}: {done.err.strip()[-300:]}")
