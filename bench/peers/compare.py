"""A frit package against ONNX Runtime, OpenVINO and MNN on one model and input.

usage: build/peers/bin/python bench/peers/compare.py PACKAGE_DIR MODEL.onnx [options]
  --input NAME=FILE.npy   an input's value (default: normal noise, seed 0)
  --threads 1,2           thread counts; a package has its own most (frit build --threads)
  --rounds 30             rounds; in each every engine runs --burst times, others stopped
  --burst 3
  --peers onnxruntime,openvino,mnn
  --json FILE             all samples

One process for each engine, pinned to the last N allowed cores (engines.py). A peer that does not
start is named with its reason and left out. Outputs are compared before anything is timed. Prints median, MAD and least milliseconds, and the ratio to frit.
All networks at once, from several process starts: suite.py.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

import numpy as np

import engines as eng

AGREEMENT = 1e-3  # of the largest value: tells a wrong result, not a rounding (frit verify does)


def make_inputs(report, assignments, scratch):
    given = dict(text.rsplit("=", 1) for text in assignments)
    random = np.random.default_rng(0)
    inputs = {}
    for tensor in report["inputs"]:
        name, shape, dtype = tensor["name"], tensor["shape"], eng.DTYPES[tensor["dtype"]]
        if name in given:
            inputs[name] = np.ascontiguousarray(np.load(given[name]).astype(dtype))
        else:
            inputs[name] = random.standard_normal(shape).astype(dtype)
    eng.store_inputs(inputs, scratch)


def check_outputs(report, scratch, peers):
    ours = eng.frit_outputs(report, scratch)
    for peer in peers:
        worst = eng.difference(ours, eng.peer_outputs(peer, scratch))
        print(f"largest difference to {peer} {worst:.3g} of the largest value")
        if not worst <= AGREEMENT:
            sys.exit("compare.py: the results differ; timing them would mean nothing")


def measure(package, report, model, threads, options, scratch):
    cores = eng.cores_for(threads)
    program = eng.build_driver(package, report, scratch)
    engines = []
    try:
        engines.append(eng.Engine("frit", eng.frit_command(program, report, threads, scratch),
                                  cores, scratch))
        for peer in options.peers.split(","):
            try:
                engines.append(eng.Engine(peer, eng.peer_command(peer, model, threads, scratch),
                                          cores, scratch))
            except eng.EngineFault as fault:  # shown, and the others are measured without it
                print(f"compare.py: left out: {fault}", file=sys.stderr)
        check_outputs(report, scratch, [engine.name for engine in engines[1:]])
        eng.time_in_turns(engines, options.rounds, options.burst)
    except eng.EngineFault as fault:
        sys.exit(f"compare.py: {fault}")
    finally:
        for engine in engines:
            engine.end()
    return engines


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("package", type=pathlib.Path)
    arguments.add_argument("model", type=pathlib.Path)
    arguments.add_argument("--input", action="append", default=[])
    arguments.add_argument("--threads", default="1,2")
    arguments.add_argument("--rounds", type=int, default=30)
    arguments.add_argument("--burst", type=int, default=3)
    arguments.add_argument("--peers", default=",".join(eng.PEERS))
    arguments.add_argument("--json", type=pathlib.Path)
    options = arguments.parse_args()

    report = eng.read_report(options.package)
    wanted = [int(word) for word in options.threads.split(",")]
    cores = len(os.sched_getaffinity(0))
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        make_inputs(report, options.input, scratch)
        for threads in wanted:
            if threads > report["threads"] or threads > cores:
                print(f"{threads} threads: left out (package has {report['threads']}, "
                      f"machine {cores})")
                continue
            engines = measure(options.package, report, options.model, threads, options, scratch)
            base = statistics.median(engines[0].samples)
            print(f"{'threads':>7} {'engine':<12} {'median ms':>10} {'MAD':>8} {'least ms':>9} "
                  f"{'/ frit':>7}")
            for engine in engines:
                middle, mad = eng.median_and_mad(engine.samples)
                print(f"{threads:7} {engine.name:<12} {middle / 1e6:10.3f} {mad / 1e6:8.3f} "
                      f"{min(engine.samples) / 1e6:9.3f} {middle / base:7.3f}")
                runs.append({"engine": engine.name, "threads": threads, "median_ns": middle,
                             "mad_ns": mad, "samples_ns": engine.samples})
    if options.json:
        options.json.write_text(json.dumps({"schema": "frit.peers/1", "model": options.model.name,
                                            "target": report["target"], "runs": runs}, indent=1))


if __name__ == "__main__":
    main()
