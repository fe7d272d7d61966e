"""Counts one ctest run and lists what failed; the last line is "N passed, N failed[, N skipped]".

usage: count.py JUNIT.xml RESULTS_FOLDER [SLOW_RESULTS_FOLDER]
JUNIT.xml is ctest's; RESULTS_FOLDER holds the JSON of each GoogleTest shard, which is counted case
by case. A shard without JSON (crash, time-out) and every script counts as one test. The JSON files
of SLOW_RESULTS_FOLDER (slow.py) are counted with them.
Exit code 1 when a test failed or none ran.
"""
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


def main():
    junit, results = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    slow = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    all_cases = []
    for test in tree.parse(junit).getroot().iter("testcase"):
        shard = results / (test.get("name") + ".json")
        cases = list(cases_of_shard(shard)) if shard.exists() else [case_of_script(test)]
        if test.get("status") == "fail" and not any(case[1] == "failed" for case in cases):
            cases.append(case_of_script(test))
        all_cases += cases
    for path in sorted(slow.glob("*.json")) if slow and slow.exists() else []:
        all_cases += cases_of_shard(path)
    failed = [(name, text) for name, status, text in all_cases if status == "failed"]
    for _, status, _ in all_cases:
        counts[status] += 1
    for name, text in failed:
        print(f"FAILED {name}\n    " + text.replace("\n", "\n    "))
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if failed or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
