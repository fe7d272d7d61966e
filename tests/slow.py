"""Runs the tests with "Slow" in their name, each in a process of its own; resumable.

usage: slow.py BUILD_FOLDER [--sample N --seed S]
The result of each is a GoogleTest JSON in BUILD_FOLDER/slow-results, named by the test and the hash
of its program; one that passed there is not run again. --sample runs N of them, chosen by the seed.
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


def slow_tests(program):
    listing = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=*Slow*"],
                             capture_output=True, text=True, check=True).stdout
    suite = ""
    for line in listing.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  "):
            yield suite + name
        elif name.endswith("."):
            suite = name


def passed(path):
    return path.exists() and json.loads(path.read_text()).get("failures") == 0


def failure_json(test, text):
    suite, _, case = test.partition(".")
    entry = {"name": case, "status": "RUN", "result": "COMPLETED", "failures": [{"failure": text}]}
    return json.dumps({"failures": 1, "testsuites": [{"name": suite, "testsuite": [entry]}]})


def run_one(program, test, path):
    path.unlink(missing_ok=True)
    try:
        done = subprocess.run([program, f"--gtest_filter={test}", "--gtest_brief=1",
                               f"--gtest_output=json:{path}"], capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        if not path.exists():
            path.write_text(failure_json(test, f"exit code {done.returncode}\n{done.stdout[-2000:]}"
                                               f"{done.stderr[-2000:]}"))
    except subprocess.TimeoutExpired:
        path.write_text(failure_json(test, f"no end after {TIMEOUT_S} s"))
    return test, passed(path)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--sample", type=int)
    arguments.add_argument("--seed", default="0")
    options = arguments.parse_args()

    results = options.folder / "slow-results"
    results.mkdir(exist_ok=True)
    jobs = []
    for program in sorted((options.folder / "tests").glob("frit_*_test")):
        digest = hashlib.sha256(program.read_bytes()).hexdigest()[:12]
        for test in slow_tests(program):
            file_name = re.sub(r"[^A-Za-z0-9_.]", "_", test)
            jobs.append((program, test, results / f"{file_name}.{digest}.json"))
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
        for number, (test, good) in enumerate(pool.map(lambda job: run_one(*job), left), 1):
            print(f"[{number}/{len(left)}] {'passed' if good else 'FAILED'} {test}", flush=True)


if __name__ == "__main__":
    main()
