"""Makes a failing job smaller while it still fails in the same way: fewer rows, columns, flags and requirements."""

import os
import shutil
import tempfile
import time

from . import jobs


def shrink(binary, job, name, skip, seconds):
    """The smallest job found that still has a finding of the name, and its message."""
    end = time.monotonic() + seconds
    folder = tempfile.mkdtemp(prefix="klimt-shrink-")
    message = next(message for found, message in job.findings if found == name)

    def fails(smaller):
        nonlocal message
        shutil.rmtree(folder, ignore_errors=True)
        try:
            jobs.run_job(binary, smaller, folder, skip)
        except Exception:  # a smaller case may make no sense
            return False
        found = [text for check, text in smaller.findings if check == name]
        if found:
            message = found[0]
        return bool(found)

    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for smaller in candidates(job):
            if time.monotonic() > end:
                break
            if fails(smaller):
                job, changed = smaller, True
                break
    shutil.rmtree(folder, ignore_errors=True)
    return job, message


def candidates(job):
    """Smaller jobs, the boldest first."""
    def with_case(**changes):
        return jobs.Job(job.kind, job.case.copy(**changes), job.extras, job.history)

    if job.history:
        for at in range(len(job.history["steps"]) - 1, -1, -1):
            steps = job.history["steps"][:at] + job.history["steps"][at + 1 :]
            yield jobs.Job(job.kind, job.case, job.extras, dict(job.history, steps=steps))
    for at in range(len(job.extras)):
        yield jobs.Job(job.kind, job.case, job.extras[:at] + job.extras[at + 1 :], job.history)
    case = job.case
    size = len(case.rows) // 2
    if size > 5000:
        return  # what fails only with many rows is not worth hours of shrinking
    while size >= 1 and not job.history:
        for start in range(0, len(case.rows), size):
            yield with_case(rows=case.rows[:start] + case.rows[start + size :])
        size //= 2
    for at in range(len(case.options)):
        if case.options[at][0] == "--seed":
            continue  # without it rows are shuffled anew every time
        yield with_case(options=case.options[:at] + case.options[at + 1 :])
    for at in range(len(case.requirements)):
        yield with_case(requirements=case.requirements[:at] + case.requirements[at + 1 :])
    named = {r["column"] for r in case.requirements}
    for at, column in enumerate(case.columns):
        lone = column.role == "qi" and len(case.with_role("qi")) == 1
        if column.name not in named and column.name not in ("pid", "key") and not lone:
            columns = case.columns[:at] + case.columns[at + 1 :]
            options = [option for option in case.options if column.name not in "".join(option)]
            yield with_case(columns=columns, rows=[row[:at] + row[at + 1 :] for row in case.rows], options=options)
    plain = dict(jobs.generate.formats.PLAIN)
    if case.dialect != plain:
        yield with_case(dialect=plain)
    if case.k > 2:
        yield with_case(k=2)


def keep(binary, job, folder, skip):
    """Runs the job once more in a folder that stays, with the commands beside it."""
    os.makedirs(folder, exist_ok=True)
    jobs.run_job(binary, job, folder, skip)
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as out:
        out.write(job.to_json())
    with open(os.path.join(folder, "commands.txt"), "w", encoding="utf-8") as out:
        out.write("\n".join(job.log) + "\n\n" + "\n".join(f"{check}: {text}" for check, text in job.findings) + "\n")
