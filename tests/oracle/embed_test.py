"""apps/embed on apps/embed/sentences.txt against a tokenizer of its own and ONNX Runtime.

usage: embed_test.py BUILD_DIR
Tokens of the 50 sentences, and of texts that are hard to cut, must be equal; each embedding must
have a cosine of at least 0.99999 with that of ONNX Runtime on the same ONNX file; and of some
sentences the nearest is known. Exit code 77 where embed is not built.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MINILM = ROOT / "build" / "minilm"
PEERS = ROOT / "build" / "peers" / "bin" / "python"
LIST = ROOT / "apps" / "embed" / "sentences.txt"
TOKENS = 128
COSINE = 0.99999

HARD = [
    "Ünïcödé ÀÉÎÕÜ ñandú Ελληνικά ΣΊΣΥΦΟΣ",
    "tabs\tand\u00a0spaces\u2003of  many kinds",
    "don't e-mail me@example.com: 100% (or $5.00)!?",
    "《書名》、句讀。한국어 텍스트",
    "zero\u200bwidth and soft\u00adhyphen",
    "a" * 120 + " pneumonoultramicroscopicsilicovolcanoconiosis",
    "emoji \U0001F600 and math ∑x≤3",
    "word " * 200,
    "İstanbul'da KIRMIZI ﬁn ＦＵＬＬ",
]

NEAREST = {
    "a small cat is sleeping": "The cat sleeps on the warm windowsill.",
    "I forgot my login": "How do I reset my password?",
    "What is the capital city of France?": "Paris is the capital of France.",
    "exoplanet discovery": "Astronomers found a planet around a distant star.",
}


def words(text):
    """As the paper's own tokenizer: see "BertNormalizer" and "BertPreTokenizer"."""
    def kind(char):
        return unicodedata.category(char)

    cleaned = []
    for char in text:
        if char in "\t\n\r" or kind(char) == "Zs":
            cleaned.append(" ")
        elif kind(char) not in ("Cc", "Cf", "Co", "Cn") and char != "\ufffd":
            ideograph = re.match("[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]", char)
            cleaned.append(f" {char} " if ideograph else char)
    parts = unicodedata.normalize("NFD", "".join(cleaned))
    bare = "".join(char for char in parts if kind(char) != "Mn")
    low = "".join(char.lower() for char in bare)
    ascii_marks = r"!-/:-@\[-`{-~"
    spread = "".join(
        f" {char} " if re.match(f"[{ascii_marks}]", char) or kind(char)[0] == "P" else char
        for char in low)
    return spread.split()


def pieces(word, vocabulary):
    if len(word) > 100:
        return [vocabulary["[UNK]"]]
    result, start = [], 0
    while start < len(word):
        ends = range(len(word), start, -1)
        marks = "##" if start else ""
        end = next((e for e in ends if marks + word[start:e] in vocabulary), None)
        if end is None:
            return [vocabulary["[UNK]"]]
        result.append(vocabulary[marks + word[start:end]])
        start = end
    return result


def tokens(text, vocabulary):
    inner = [piece for word in words(text) for piece in pieces(word, vocabulary)]
    return [vocabulary["[CLS]"], *inner[: TOKENS - 2], vocabulary["[SEP]"]]


def embed(program, *arguments):
    answer = subprocess.run([program, *map(str, arguments)], capture_output=True, timeout=300)
    if answer.returncode != 0:
        sys.exit(f"embed ended with {answer.returncode}: {answer.stderr.decode()}")
    return answer.stdout.decode().splitlines()


def check_tokens(program, sentences, folder):
    lines = (MINILM / "minilm_vocab.txt").read_text(encoding="utf-8").split("\n")
    vocabulary = {piece: number for number, piece in enumerate(lines)}
    path = pathlib.Path(folder) / "list.txt"
    path.write_text("\n".join(sentences) + "\n", encoding="utf-8")
    faults = 0
    for sentence, line in zip(sentences, embed(program, "--tokens", path), strict=True):
        got, want = [int(number) for number in line.split()], tokens(sentence, vocabulary)
        if got != want:
            faults += 1
            print(f"WRONG tokens of {sentence!r}: {got}, want {want}")
    return faults, vocabulary


def check_vectors(program, sentences, vocabulary):
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(MINILM / "minilm_l6.onnx")
    worst = 1.0
    for sentence, line in zip(sentences, embed(program, "--vectors", LIST), strict=True):
        ids = np.zeros((1, TOKENS), np.int64)
        own = tokens(sentence, vocabulary)
        ids[0, : len(own)] = own
        mask = (np.arange(TOKENS) < len(own)).astype(np.int64)[None]
        want = session.run(None, {"input_ids": ids, "attention_mask": mask})[0][0].astype(float)
        got = np.array(line.split(), float)
        cosine = got @ want / np.linalg.norm(got) / np.linalg.norm(want)
        worst = min(worst, cosine)
    print(f"least cosine with ONNX Runtime over {len(sentences)} sentences: {worst:.9f}")
    return 0 if worst >= COSINE else 1


def main():
    program = pathlib.Path(sys.argv[1]) / "apps" / "embed"
    if not program.exists():
        print("skipped: embed is not built (apps/embed/fetch.sh, ninja embed)")
        sys.exit(77)
    if PEERS.exists() and pathlib.Path(sys.executable) != PEERS:
        os.execv(PEERS, [PEERS, *sys.argv])
    sentences = LIST.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        faults, vocabulary = check_tokens(program, sentences + HARD, folder)
    faults += check_vectors(program, sentences, vocabulary)
    for sentence, want in NEAREST.items():
        got = embed(program, "--top", 1, LIST, sentence)[0].split("\t")[1]
        if got != want:
            faults += 1
            print(f"WRONG nearest to {sentence!r}: {got!r}, want {want!r}")
    sys.exit(1 if faults else 0)


main()
