"""Runs the slow tests, each in a process of its own; resumable.

usage: slow.py BUILD_FOLDER [--sample N --seed S]
They are GoogleTest's tests with "Slow" in their name, and the cases of */*_slow_test.py: a script
prints with BUILD_FOLDER --list a line for each case, its name and a key that changes with
what it tests; with BUILD_FOLDER NAME it runs that case (exit code 77: skipped).
The result of each is a GoogleTest JSON in BUILD_FOLDER/slow-results, named by the test and the hash
of its program or its key; one that passed there is not run again. --sample runs N of them, chosen
by the seed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess

TIMEOUT_S = 1800


TESTS = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def file_name(test, key):
    return f"{re.sub(r'[^A-Za-z0-9_.]', '_', test)}.{key}.json"


def program_jobs(folder, results):
    """(test, command, result file) of each slow GoogleTest."""
    for program in sorted((folder / "tests").glob("frit_*_test")):
        digest = hashlib.sha256(program.read_bytes()).hexdigest()[:12]
        listing = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=*Slow*"],
                                 capture_output=True, text=True, check=True).stdout
        suite = ""
        for line in listing.splitlines():
            name = line.split("#")[0].strip()
            if line.startswith("  "):
                path = results / file_name(suite + name, digest)
                yield suite + name, [program, f"--gtest_filter={suite + name}", "--gtest_brief=1",
                                     f"--gtest_output=json:{path}"], path
            elif name.endswith("."):
                suite = name


def script_jobs(folder, results):
    """The same of each case of a script."""
    python = TESTS.parent / "build" / "peers" / "bin" / "python"
    for script in sorted(TESTS.glob("*/*_slow_test.py")):
        listing = subprocess.run([python, script, folder, "--list"], capture_output=True, text=True,
                                 check=True).stdout
        for line in listing.splitlines():
            case, key = line.split()
            test = f"{script.stem}.{case}"
            yield test, [python, script, folder, case], results / file_name(test, key)


def passed(path):
    return path.exists() and json.loads(path.read_text()).get("failures") == 0


def result_json(test, result, failure=None):
    suite, _, case = test.partition(".")
    entry = {"name": case, "status": "RUN", "result": result}
    if failure is not None:
        entry["failures"] = [{"failure": failure}]
    return json.dumps({"failures": int(failure is not None),
                       "testsuites": [{"name": suite, "testsuite": [entry]}]})


def run_one(test, command, path):
    """(test, whether it passed or was skipped, what it printed)."""
    path.unlink(missing_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        path.write_text(result_json(test, "COMPLETED", f"no end after {TIMEOUT_S} s"))
        return test, False, ""
    said = done.stdout[-2000:] + done.stderr[-2000:]
    if not path.exists():  # a script, or a program that crashed
        by_program = pathlib.Path(command[0]).name.startswith("frit_")
        if done.returncode == SKIPPED and not by_program:
            path.write_text(result_json(test, "SKIPPED"))
        elif done.returncode == 0 and not by_program:
            path.write_text(result_json(test, "COMPLETED"))
        else:
            path.write_text(result_json(test, "COMPLETED", f"exit code {done.returncode}\n{said}"))
    return test, passed(path), "" if "--gtest_brief=1" in command else said


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--sample", type=int)
    arguments.add_argument("--seed", default="0")
    options = arguments.parse_args()

    results = options.folder / "slow-results"
    results.mkdir(exist_ok=True)
    jobs = [*program_jobs(options.folder, results), *script_jobs(options.folder, results)]
    current = {job[2] for job in jobs}
    if options.sample is not None:
        random.Random(options.seed).shuffle(jobs)
        jobs = jobs[:options.sample]
        current = {job[2] for job in jobs}
    for path in results.iterdir():
        if path not in current:
            path.unlink()
    left = [job for job in jobs if not passed(job[2])]
    print(f"slow tests: {len(jobs)}, of which {len(jobs) - len(left)} have passed before")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (test, good, said) in enumerate(pool.map(lambda job: run_one(*job), left), 1):
            print(f"[{number}/{len(left)}] {'passed' if good else 'FAILED'} {test}\n{said}", end="",
                  flush=True)


if __name__ == "__main__":
    main()
