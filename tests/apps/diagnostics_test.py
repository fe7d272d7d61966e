"""Every diagnostic says what to do next: the messages in the sources, collected and judged.

usage: diagnostics_test.py BUILD_DIR [--list]

A message passes when it has a clause after "; ", or notes or fixes are attached right after it. The
exceptions below are helpers that add the clause themselves, and grammar, where what was expected is
the next step. --list prints all messages with their places.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALL = re.compile(r"\b(error|fail|refuse|fault|error_at|fail_at|error_here|bad)\(")
NOTES_WITHIN = 160  # characters after the call

# Files whose local helper ends every message with the step, or is given whole sentences.
HELPERS = {
    "generators/onnx/shape_argument.cpp": "write name:1x3x48x320",
    "generators/onnx/regions.cpp": "correct the model",
    "ops/reshape.cpp": "correct the shape or pass --shape",
    "ops/split.cpp": "or pass --shape",
    "generators/fusion/plan_reader.cpp": "write the line as frit plan does",
}
# Wrappers that put a place in front of a message, which is judged where it is written.
WRAPPERS = {"'{}': {}", "{}: {}", "package '{}': {}", "code {}: {}", "{}: attribute {} {}",
            "{} (opset {}) is not supported: {}", "{} {}", "'{}' should be a {} but {}", "node `{}` ({}): {}",
            "'{}' is not offered: {}", "cannot be run: ", ": "}
GRAMMAR = re.compile(r"expected |write |wants |it is written ")
# A reason why two nodes share no kernel is the answer itself (frit explain), not a refusal of input.
VERDICTS = {"generators/fusion/layout.cpp", "generators/fusion/legality.cpp",
            "generators/fusion/grouping.cpp"}
CODE = re.compile(r"[a-z]+(-[a-z]+)+|layout|alias|attribute")


def literals(text, at):
    """The string literals of the call whose "(" is at `at`, neighbours joined, and the call's end."""
    depth, found, last_end = 0, [], None
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            piece = text[at + 1:end]
            if last_end is not None and not text[last_end:at].strip():
                found[-1] += piece
            else:
                found.append(piece)
            last_end = end + 1
            at = end
        elif text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth == 0:
                break
        at += 1
    return found, at


def messages(path):
    text = path.read_text()
    for call in CALL.finditer(text):
        found, end = literals(text, call.end() - 1)
        words = [piece for piece in found if not CODE.fullmatch(piece)]
        if words and any(" " in piece for piece in words):
            attached = re.search(r"notes|fixes", text[end:end + NOTES_WITHIN])
            yield text.count("\n", 0, call.start()) + 1, words, bool(attached)


def has_next_step(name, words, attached):
    if attached or any("; " in piece for piece in words) or name in VERDICTS | HELPERS.keys():
        return True
    return words[0] in WRAPPERS or any(GRAMMAR.search(piece) for piece in words)


def main():
    files = sorted(path for pattern in ("ops/*.cpp", "schedules/*.cpp", "generators/**/*.cpp",
                                        "apps/frit/*.cpp") for path in ROOT.glob(pattern))
    count = wrong = 0
    for path in files:
        name = str(path.relative_to(ROOT))
        if name in HELPERS and HELPERS[name] not in re.sub(r'"\s*"', "", path.read_text()):
            wrong += 1
            print(f"{name}: its helper no longer says '{HELPERS[name]}'")
        for line, words, attached in messages(path):
            count += 1
            if "--list" in sys.argv:
                print(f"{name}:{line}: {' | '.join(words)}")
            elif not has_next_step(name, words, attached):
                wrong += 1
                print(f"{name}:{line}: no next step: {' | '.join(words)}")
    print(f"{count} messages, {wrong} without a next step")
    return 1 if wrong or count < 250 else 0


sys.exit(main())
