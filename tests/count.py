"""Counts test results and lists what failed; the last line is "N passed, N failed[, N skipped]".

usage: count.py FOLDER...
A folder holds the JSON of GoogleTest programs, counted case by case, and ctest.xml where ctest ran
them: there a shard without JSON (crash, time-out) and every script counts as one test.
Exit code 1 when a test failed or none ran.
"""
import collections
import json
import pathlib
import sys
import xml.etree.ElementTree as tree


def cases_of_shard(path):
    for suite in json.loads(path.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            if case["status"] != "RUN":
                continue
            name = f"{suite['name']}.{case['name']}"
            if case.get("failures"):
                yield name, "failed", case["failures"][0]["failure"]
            elif case["result"] == "SKIPPED":
                yield name, "skipped", ""
            else:
                yield name, "passed", ""


def case_of_script(test):
    status = {"run": "passed", "fail": "failed"}.get(test.get("status"), "skipped")
    text = (test.findtext("system-out") or "").strip()
    return test.get("name"), status, "\n".join(text.splitlines()[-30:])


def cases_of_folder(folder):
    counted = set()
    junit = folder / "ctest.xml"
    tests = tree.parse(junit).getroot().iter("testcase") if junit.exists() else []
    for test in tests:
        shard = folder / (test.get("name") + ".json")
        counted.add(shard)
        cases = list(cases_of_shard(shard)) if shard.exists() else [case_of_script(test)]
        if test.get("status") == "fail" and not any(case[1] == "failed" for case in cases):
            cases.append(case_of_script(test))
        yield from cases
    for shard in sorted(folder.glob("*.json")):
        if shard not in counted:
            yield from cases_of_shard(shard)


def main():
    folders = [pathlib.Path(word) for word in sys.argv[1:]]
    cases = []
    for folder in folders:
        of_folder = list(cases_of_folder(folder)) if folder.exists() else []
        if not of_folder:
            of_folder = [(str(folder), "failed", "no test left a result here")]
        cases += of_folder
    failed = [(name, text) for name, status, text in cases if status == "failed"]
    for name, text in failed:
        print(f"FAILED {name}\n    " + text.replace("\n", "\n    "))
    counts = collections.Counter(status for _, status, _ in cases)
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if failed or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
