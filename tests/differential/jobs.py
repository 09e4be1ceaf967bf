"""A job: a case, and what is done with it besides the plain checks; or the history of a store."""

from dataclasses import asdict, dataclass, field
import json
import random
import traceback

from . import check, generate, metamorphic, mutate, recoding, store, tools
from .case import Case

EXTRAS = {"mutate": mutate.check_mutants, "metamorphic": metamorphic.check_variant, "recoding": recoding.check_recoding,
          "memory": metamorphic.check_memory, "columnar": metamorphic.check_format,
          "tools": tools.check_tool}


@dataclass
class Job:
    """A case with extra checks, each with a seed of its own; `history` is that of a store."""

    kind: str
    case: Case = None
    extras: list = field(default_factory=list)
    history: dict = None
    findings: list = field(default_factory=list)
    checks: int = 0
    commands: int = 0
    outcome: str = ""
    refusal: str = None
    log: list = field(default_factory=list)

    def to_json(self):
        return json.dumps({"kind": self.kind, "case": asdict(self.case) if self.case else None, "extras": self.extras,
                           "history": self.history}, ensure_ascii=False, indent=1)

    @staticmethod
    def from_json(text):
        data = json.loads(text)
        case = Case.from_json(json.dumps(data["case"])) if data["case"] else None
        return Job(data["kind"], case, data["extras"], data["history"])


def make(seed):
    """The job of a seed."""
    chance = random.Random(seed)
    if chance.random() < 0.08:
        history = store.generate_history(chance, seed)
        return Job("store", history.pop("case"), history=history)
    if chance.random() < 0.012:
        return Job("large", generate.large(chance, seed), [["memory", 0]])
    case = generate.case(chance, seed)
    extras = [["mutate", chance.randrange(10**6)]]
    if chance.random() < 0.4:
        extras.append(["metamorphic", chance.randrange(10**6)])
    if chance.random() < 0.08:
        extras.append(["columnar", chance.randrange(10**6)])
    if chance.random() < 0.3:
        extras.append(["tools", chance.randrange(10**6)])
    if case.option("--save-recoding"):
        extras.append(["recoding", chance.randrange(10**6)])
    return Job(case.option("--algorithm") or "mondrian", case, extras)


def run_seed(binary, seed, folder, skip):
    job = make(seed)
    run_job(binary, job, folder, skip)
    return job


def run_job(binary, job, folder, skip):
    """Runs a job in a folder, and puts into it what was found."""
    report = check.Report(binary, folder, skip)
    try:
        checks(job, report)
    except Exception:  # a mistake of the fuzzer is told like any other, with its seed
        report.check("fuzzer", False, traceback.format_exc(limit=-4))
    job.findings, job.checks, job.log = report.findings, report.checks, report.commands
    job.commands, job.outcome, job.refusal = len(report.commands), report.outcome, report.refusal


def checks(job, report):
    if job.kind == "store":
        store.check_history(job.case, job.history, report)
    else:
        release = check.check_case(job.case, report)
        if release is not None and not report.findings:
            for name, seed in job.extras:
                EXTRAS[name](job.case, release, report, random.Random(seed))
