"""A frit package against ONNX Runtime and OpenVINO on one model and input.

usage: build/peers/bin/python bench/peers/compare.py PACKAGE_DIR MODEL.onnx [options]
  --input NAME=FILE.npy   an input's value (default: normal noise, seed 0)
  --threads 1,2           thread counts to measure; a package has its own most (frit build --threads)
  --rounds 30             rounds; in each every engine runs --burst times, others stopped
  --burst 3
  --json FILE             all samples

One process for each engine, pinned to the last N allowed cores; while one runs the others are
stopped (SIGSTOP), so that no spinning thread of one slows another. Outputs are compared before
anything is timed. Prints median, MAD and least milliseconds, and the ratio to frit.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
          "i8": np.int8, "bool": np.bool_, "f16": np.float16}
AGREEMENT = 1e-3  # of the largest value: tells a wrong result, not a rounding (frit verify does)


class Engine:
    """A child process that runs the model N times when asked, and is stopped in between."""

    def __init__(self, name, command, cores):
        self.name = name
        self.samples = []
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, cores))
        if self.child.stdout.readline().strip() != "ready":
            self.child.wait()
            sys.exit(f"compare.py: {name} did not start")
        self.stop()

    def stop(self):
        self.child.send_signal(signal.SIGSTOP)

    def run(self, count, keep=True):
        self.child.send_signal(signal.SIGCONT)
        self.child.stdin.write(f"{count}\n")
        self.child.stdin.flush()
        times = [int(word) for word in self.child.stdout.readline().split()]
        self.stop()
        if keep:
            self.samples += times

    def end(self):
        self.child.send_signal(signal.SIGCONT)
        self.child.stdin.close()
        self.child.wait()


def build_driver(package, report, scratch):
    name = report["model"]["c_name"]
    program = scratch / "driver"
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", f"-DFRIT_NAME={name}",
                    f'-DFRIT_HEADER="{name}.h"', f"-I{package}", str(HERE / "driver.c"),
                    str(package / f"lib{name}.a"), "-lm", "-pthread", "-o", str(program)],
                   check=True)
    return program


def make_inputs(report, assignments, scratch):
    given = dict(text.rsplit("=", 1) for text in assignments)
    random = np.random.default_rng(0)
    inputs = {}
    for tensor in report["inputs"]:
        name, shape, dtype = tensor["name"], tensor["shape"], DTYPES[tensor["dtype"]]
        if name in given:
            inputs[name] = np.ascontiguousarray(np.load(given[name]).astype(dtype))
        else:
            inputs[name] = random.standard_normal(shape).astype(dtype)
    np.savez(scratch / "input.npz", **inputs)
    for i, tensor in enumerate(report["inputs"]):
        inputs[tensor["name"]].tofile(scratch / f"in{i}.bin")
    return inputs


def frit_command(program, report, threads, scratch):
    ins = [f"{scratch}/in{i}.bin:{t['bytes']}" for i, t in enumerate(report["inputs"])]
    outs = [f"{scratch}/out{i}.bin:{t['bytes']}" for i, t in enumerate(report["outputs"])]
    return [str(program), str(threads), *ins, "--", *outs]


def check_outputs(report, scratch, peers):
    for i, tensor in enumerate(report["outputs"]):
        ours = np.fromfile(scratch / f"out{i}.bin", DTYPES[tensor["dtype"]]).reshape(tensor["shape"])
        for peer in peers:
            with np.load(scratch / f"{peer}.npz") as stored:
                theirs = stored[tensor["name"]]
            if theirs.shape != ours.shape:
                sys.exit(f"compare.py: {tensor['name']} is {ours.shape} but {peer} has {theirs.shape}")
            worst = float(np.abs(ours.astype(np.float64) - theirs).max(initial=0))
            largest = float(np.abs(theirs).max(initial=0))
            print(f"{tensor['name']}: largest difference to {peer} {worst:.3g} of {largest:.3g}")
            if not worst <= AGREEMENT * largest:
                sys.exit("compare.py: the results differ; timing them would mean nothing")


def measure(package, report, model, threads, options, scratch):
    cores = set(sorted(os.sched_getaffinity(0))[-threads:])
    program = build_driver(package, report, scratch)
    engines = [Engine("frit", frit_command(program, report, threads, scratch), cores)]
    for peer in options.peers.split(","):
        engines.append(Engine(peer, [sys.executable, str(HERE / "worker.py"), peer, str(model),
                                     str(threads), str(scratch)], cores))
    check_outputs(report, scratch, [engine.name for engine in engines[1:]])
    for engine in engines:
        engine.run(options.burst + 5, keep=False)
    for number in range(options.rounds):
        for engine in engines if number % 2 == 0 else reversed(engines):
            # The first run after a stop finds cold caches, as all do alike: left out.
            engine.run(1, keep=False)
            engine.run(options.burst)
    for engine in engines:
        engine.end()
    return engines


def median_and_mad(samples):
    middle = statistics.median(samples)
    return middle, statistics.median(abs(s - middle) for s in samples)


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("package", type=pathlib.Path)
    arguments.add_argument("model", type=pathlib.Path)
    arguments.add_argument("--input", action="append", default=[])
    arguments.add_argument("--threads", default="1,2")
    arguments.add_argument("--rounds", type=int, default=30)
    arguments.add_argument("--burst", type=int, default=3)
    arguments.add_argument("--peers", default="onnxruntime,openvino")
    arguments.add_argument("--json", type=pathlib.Path)
    options = arguments.parse_args()

    report = json.loads(next(options.package.glob("*.report.json")).read_text())
    wanted = [int(word) for word in options.threads.split(",")]
    cores = len(os.sched_getaffinity(0))
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        make_inputs(report, options.input, scratch)
        for threads in wanted:
            if threads > report["threads"] or threads > cores:
                print(f"{threads} threads: left out (package has {report['threads']}, machine {cores})")
                continue
            engines = measure(options.package, report, options.model, threads, options, scratch)
            base = statistics.median(engines[0].samples)
            print(f"{'threads':>7} {'engine':<12} {'median ms':>10} {'MAD':>8} {'least ms':>9} {'/ frit':>7}")
            for engine in engines:
                middle, mad = median_and_mad(engine.samples)
                print(f"{threads:7} {engine.name:<12} {middle / 1e6:10.3f} {mad / 1e6:8.3f} "
                      f"{min(engine.samples) / 1e6:9.3f} {middle / base:7.3f}")
                runs.append({"engine": engine.name, "threads": threads, "median_ns": middle,
                             "mad_ns": mad, "samples_ns": engine.samples})
    if options.json:
        options.json.write_text(json.dumps({"schema": "frit.peers/1", "model": options.model.name,
                                            "target": report["target"], "runs": runs}, indent=1))


if __name__ == "__main__":
    main()
