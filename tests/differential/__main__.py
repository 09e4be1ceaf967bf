"""The command line of the fuzzer: `python3 -m tests.differential --help`."""

import argparse
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
import os
import random
import shutil
import sys
import tempfile
import time

from . import generate, jobs, shrink
from .case import Case


def arguments():
    parser = argparse.ArgumentParser(prog="tests/differential/run", description="Differential fuzzer of whole klimt jobs.")
    parser.add_argument("--binary", default="target/debug/klimt", help="the command under test")
    parser.add_argument("--seconds", type=float, default=60, help="how long to run")
    parser.add_argument("--cases", type=int, help="run so many cases instead")
    parser.add_argument("--seed", type=int, default=1, help="the first seed; case N has the seed SEED + N")
    parser.add_argument("--jobs", type=int, default=2, help="cases side by side")
    parser.add_argument("--keep", metavar="DIR", help="keep the files of findings here")
    parser.add_argument("--skip", action="append", default=[], metavar="CHECK", help="a check to leave out")
    parser.add_argument("--shrink", type=float, default=40, metavar="SECONDS", help="how long to make a finding smaller")
    parser.add_argument("--case", metavar="FILE", help="run one case that was kept")
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first finding")
    return parser.parse_args()


def one(binary, seed, skip):
    """Runs the case of a seed in a folder of its own."""
    folder = tempfile.mkdtemp(prefix="klimt-fuzz-")
    try:
        return seed, jobs.run_seed(binary, seed, folder, skip)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tell(args, seed, job, findings):
    """Shrinks a finding and prints how to see it again."""
    name, message = findings[0]
    print(f"\nFINDING {name} (seed {seed}): {message}", flush=True)
    if job.case is not None:
        small, found = shrink.shrink(args.binary, job, name, args.skip, args.shrink)
        folder = args.keep or tempfile.mkdtemp(prefix="klimt-finding-")
        folder = os.path.abspath(os.path.join(folder, f"{seed}-{name}"))
        shrink.keep(args.binary, small, folder, args.skip)
        print(f"shrunk: {found}")
        print(f"columns: {', '.join(f'{c.name} ({c.role}, {c.kind})' for c in small.case.columns)}")
        for row in small.case.rows[:12]:
            print("  ", row)
        print(f"commands: {folder}/commands.txt")
        print(f"again: tests/differential/run --binary {args.binary} --case {folder}/case.json")
    print(f"the whole: tests/differential/run --binary {args.binary} --seed {seed} --cases 1", flush=True)


def main():
    args = arguments()
    args.binary = os.path.abspath(args.binary)
    if args.case:
        return replay(args)
    counts, refusals, kinds, found = Counter(), Counter(), Counter(), Counter()
    start, at = time.monotonic(), 0
    going = lambda: at < args.cases if args.cases is not None else time.monotonic() - start < args.seconds
    with ProcessPoolExecutor(args.jobs) as pool:
        running = set()
        while going() or running:
            while going() and len(running) < args.jobs and not (found and not args.go_on):
                running.add(pool.submit(one, args.binary, args.seed + at, args.skip))
                at += 1
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                seed, job = future.result()
                counts["jobs"] += 1
                counts["checks"] += job.checks
                counts["commands"] += job.commands
                kinds[job.kind] += 1
                if job.outcome == "released":
                    counts["released"] += 1
                elif job.refusal:
                    refusals[job.refusal] += 1
                if job.findings:
                    fresh = not any(found[name] for name, _ in job.findings[:1])
                    found.update({name for name, _ in job.findings})
                    if fresh or args.go_on and found[job.findings[0][0]] <= 3:
                        tell(args, seed, job, job.findings)
    summary(counts, refusals, kinds, found, time.monotonic() - start)
    return 1 if found else 0


def replay(args):
    with open(args.case, encoding="utf-8") as source:
        job = jobs.Job.from_json(source.read())
    folder = tempfile.mkdtemp(prefix="klimt-case-")
    jobs.run_job(args.binary, job, folder, args.skip)
    for name, message in job.findings[:20]:
        print(f"FINDING {name}: {message}")
    shutil.rmtree(folder, ignore_errors=True)
    return 1 if job.findings else 0


def summary(counts, refusals, kinds, found, seconds):
    jobs_ = max(counts["jobs"], 1)
    print(f"\n{counts['jobs']} jobs ({', '.join(f'{many} {kind}' for kind, many in kinds.most_common())}), "
          f"{counts['released'] * 100 // jobs_} % released, {counts['commands']} commands, {counts['checks']} checks, "
          f"{seconds:.0f} s, {sum(found.values())} findings")
    for reason, many in refusals.most_common(12):
        print(f"  refused {many:4d}  {reason}")
    for name, many in found.most_common():
        print(f"  FOUND   {many:4d}  {name}")


if __name__ == "__main__":
    sys.exit(main())
