"""Lets PyPI's torch run without the CUDA libraries: 500 MB to fetch in place of 2.5 GB.

usage: python cuda_stubs.py        (in the environment that holds torch; needs readelf, nm, cc)

PyPI's wheel of torch is linked against CUDA's libraries, so that even a CPU-only import needs them.
For each library that the wheel names and does not bring, a small one of that name is made beside
torch's own: every function that torch takes from it returns 100, CUDA's "no device". Torch then
finds no GPU and computes on the CPU. Only exporting models needs torch; nothing of frit does.
"""
import importlib.util
import pathlib
import re
import subprocess
import tempfile

# What Debian's C and C++ libraries, or torch itself, provide.
SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|gomp)\.so|ld-linux")
CUDA_FUNCTION = re.compile(r"(__)?(cu|nccl|nv)\w+")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def taken_symbols(libraries):
    """{library's name or None: set of function names} that these libraries take from outside."""
    taken = {}
    for library in libraries:
        for line in output("nm", "-D", "--undefined-only", str(library)).splitlines():
            name, _, version = line.split()[-1].partition("@")
            if CUDA_FUNCTION.fullmatch(name):
                taken.setdefault(version.lstrip("@") or None, set()).add(name)
    return taken


def missing_libraries(libraries):
    present = {library.name for library in libraries}
    needed = set()
    for library in libraries:
        needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", str(library))))
    return sorted(name for name in needed - present if not SYSTEM.match(name))


def make_stub(path, name, version, functions, scratch):
    source, script = scratch / "stub.c", scratch / "stub.map"
    lines = [f"long {function}(void) {{ return 100; }}" for function in sorted(functions)]
    source.write_text("\n".join(lines) + "\n")
    script.write_text(f"{version} {{ *; }};\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{name}",
                    f"-Wl,--version-script={script}", "-o", str(path), str(source)], check=True)


def main():
    folder = pathlib.Path(importlib.util.find_spec("torch").origin).parent / "lib"
    libraries = sorted(folder.glob("lib*.so*"))
    missing = missing_libraries(libraries)
    taken = taken_symbols(libraries)
    versions = {name: next((v for v in taken if v == name), None) for name in missing}
    versions["libnvshmem_host.so.3"] = "NVSHMEM"
    # Functions without a version are looked for in every library: one is enough.
    unversioned = taken.pop(None, set())
    with tempfile.TemporaryDirectory() as scratch:
        for name in missing:
            functions = set(taken.get(versions[name], set()))
            if name.startswith("libcudart"):
                functions |= unversioned
            version = versions[name] or "STUB"
            make_stub(folder / name, name, version, functions, pathlib.Path(scratch))
    print(f"cuda_stubs.py: {len(missing)} libraries beside torch's")


if __name__ == "__main__":
    main()
