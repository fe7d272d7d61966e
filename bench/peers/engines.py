"""Engines as child processes: started pinned, run on request (driver.c's protocol).

Shared by compare.py (one package) and suite.py (all networks). While one engine runs the others are
stopped (SIGSTOP), so that no spinning thread of one slows another.
"""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
          "i8": np.int8, "bool": np.bool_, "f16": np.float16}
PEERS = ["onnxruntime", "openvino", "mnn"]


class EngineFault(Exception):
    """An engine did not start or did not answer; the text says which and where its log is."""


class Engine:
    """A child process that runs the model N times when asked. stderr goes to FOLDER/NAME.log."""

    def __init__(self, name, command, cores, folder):
        self.name = name
        self.samples = []
        self.log = pathlib.Path(folder) / f"{name}.log"
        with open(self.log, "w") as log:
            self.child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                preexec_fn=lambda: os.sched_setaffinity(0, cores))
        if self.child.stdout.readline().strip() != "ready":
            self.end()
            lines = self.log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
            raise EngineFault(f"{name} did not start: {lines[-1]}")
        self.child.send_signal(signal.SIGSTOP)

    def run(self, count, keep=True):
        self.child.send_signal(signal.SIGCONT)
        try:
            self.child.stdin.write(f"{count}\n")
            self.child.stdin.flush()
            times = [int(word) for word in self.child.stdout.readline().split()]
        except OSError:
            times = []
        if len(times) != count:
            raise EngineFault(f"{self.name} ended while it was timed")
        self.child.send_signal(signal.SIGSTOP)
        if keep:
            self.samples += times

    def end(self):
        self.child.send_signal(signal.SIGCONT)
        try:
            self.child.stdin.close()
        except OSError:  # it has ended already
            pass
        self.child.stdout.close()
        self.child.wait()


def time_in_turns(engines, rounds, burst):
    """Every engine `burst` times a round, the order turned every round."""
    for engine in engines:
        engine.run(burst + 5, keep=False)
    for number in range(rounds):
        for engine in engines if number % 2 == 0 else reversed(engines):
            # The first run after a stop finds cold caches, as all do alike: left out.
            engine.run(1, keep=False)
            engine.run(burst)


def cores_for(threads):
    """The last `threads` cores that this process may use."""
    return set(sorted(os.sched_getaffinity(0))[-threads:])


def read_report(package):
    return json.loads(next(pathlib.Path(package).glob("*.report.json")).read_text())


def build_driver(package, report, folder):
    name = report["model"]["c_name"]
    program = folder / "driver"
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", f"-DFRIT_NAME={name}",
                    f'-DFRIT_HEADER="{name}.h"', f"-I{package}", str(HERE / "driver.c"),
                    str(package / f"lib{name}.a"), "-lm", "-pthread", "-o", str(program)],
                   check=True)
    return program


def store_inputs(inputs, folder):
    """For the workers by name, for driver.c as bytes, in the order of the dict."""
    np.savez(folder / "input.npz", **inputs)
    for i, value in enumerate(inputs.values()):
        value.tofile(folder / f"in{i}.bin")


def frit_command(program, report, threads, folder):
    ins = [f"{folder}/in{i}.bin:{t['bytes']}" for i, t in enumerate(report["inputs"])]
    outs = [f"{folder}/out{i}.bin:{t['bytes']}" for i, t in enumerate(report["outputs"])]
    return [str(program), str(threads), *ins, "--", *outs]


def peer_command(peer, model, threads, folder):
    return [sys.executable, str(HERE / "worker.py"), peer, str(model), str(threads), str(folder)]


def frit_outputs(report, folder):
    return {t["name"]: np.fromfile(folder / f"out{i}.bin", DTYPES[t["dtype"]]).reshape(t["shape"])
            for i, t in enumerate(report["outputs"])}


def peer_outputs(peer, folder):
    with np.load(folder / f"{peer}.npz") as stored:
        return {name: stored[name] for name in stored.files}


def difference(ours, theirs):
    """Largest |a - b| of all outputs, relative to the largest |b|; inf: names or shapes differ."""
    if ours.keys() != theirs.keys():
        return float("inf")
    worst = 0.0
    for name, a in ours.items():
        b = theirs[name]
        if a.shape != b.shape:
            return float("inf")
        largest = float(np.abs(b).max(initial=0))
        off = float(np.abs(a.astype(np.float64) - b).max(initial=0))
        if off > 0 or not np.isfinite(off):
            worst = max(worst, off / largest if largest > 0 and np.isfinite(off) else float("inf"))
    return worst


def median_and_mad(samples):
    middle = statistics.median(samples)
    return middle, statistics.median(abs(s - middle) for s in samples)
