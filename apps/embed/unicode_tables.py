"""Writes unicode_tables.cpp: what the tokenizer of BERT (uncased) asks of Unicode.

usage: unicode_tables.py VOCABULARY.txt > apps/embed/unicode_tables.cpp

Folded forms (accents taken off, then lower case) are kept where they are one character that the
vocabulary has: any other makes its word unknown, folded or not.
"""
import sys
import unicodedata as unicode

LINE = 96
POINTS = [c for c in range(0x80, 0x110000) if not 0xD800 <= c < 0xE000]


def is_hangul(c):
    return 0xAC00 <= c < 0xD7A4  # taken apart by arithmetic


def folded(c):
    parts = unicode.normalize("NFD", chr(c))
    return "".join(part.lower() for part in parts if unicode.category(part) != "Mn")


def ranges(kinds):
    found = []
    for c in POINTS:
        if unicode.category(chr(c)) not in kinds:
            continue
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def wrapped(words):
    line = "   "
    for word in words:
        if len(line) + len(word) + 1 > LINE:
            yield line
            line = "   "
        line += " " + word
    yield line


def write_ranges(name, kinds):
    found = ranges(kinds)
    print(f"constexpr Range {name}[] = {{")
    print("\n".join(wrapped(f"{{{first:#x}, {last:#x}}}," for first, last in found)))
    print("};")


def write_folds(vocabulary):
    known = {char for line in vocabulary for char in line}
    pairs = []
    for c in POINTS:
        result = folded(c)
        if not is_hangul(c) and len(result) == 1 and result != chr(c) and result in known:
            pairs.append(f"{{{c:#x}, {ord(result):#x}}},")
    print("constexpr Fold kFolds[] = {")
    print("\n".join(wrapped(pairs)))
    print("};")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        vocabulary = file.read().split("\n")
    print(f"// Made by unicode_tables.py of Unicode {unicode.unidata_version}.")
    print("// clang-format off")
    print('#include "apps/embed/unicode.h"\n')
    print("namespace embed {\nnamespace {\n")
    print("struct Range {\n  char32_t first, last;\n};")
    print("struct Fold {\n  char32_t from, to;\n};\n")
    write_ranges("kMarks", {"Mn"})
    write_ranges("kPunctuation", {"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"})
    write_ranges("kControls", {"Cc", "Cf", "Co"})
    write_ranges("kSpaces", {"Zs"})
    write_folds(vocabulary)
    print("""
template <std::size_t N>
bool holds(const Range (&ranges)[N], char32_t c) {
  std::size_t low = 0, high = N;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (ranges[middle].last < c) low = middle + 1;
    else high = middle;
  }
  return low < N && ranges[low].first <= c;
}

}  // namespace

bool is_mark(char32_t c) { return holds(kMarks, c); }
bool is_wide_punctuation(char32_t c) { return holds(kPunctuation, c); }
bool is_wide_control(char32_t c) { return holds(kControls, c); }
bool is_wide_space(char32_t c) { return holds(kSpaces, c); }

char32_t folded(char32_t c) {
  std::size_t low = 0, high = std::size(kFolds);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (kFolds[middle].from < c) low = middle + 1;
    else high = middle;
  }
  return low < std::size(kFolds) && kFolds[low].from == c ? kFolds[low].to : c;
}

}  // namespace embed""")


main()
