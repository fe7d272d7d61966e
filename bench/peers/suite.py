"""frit against ONNX Runtime, OpenVINO and MNN on all networks of a list.

usage: build/peers/bin/python bench/peers/suite.py [options]
  --models bench/models/networks.txt   the list, or names of its networks: resnet50,squeezenet
  --threads 1,2
  --starts 5      process starts of every engine; its figure is the best median over them, since
                  an engine's speed may depend on where its threads happen to lie
  --rounds 20     in each round every engine runs --burst times while the others are stopped
  --burst 3
  --peers onnxruntime,openvino,mnn
  --json FILE     result JSON with all samples (frit.bench/1)
  --svg FILE      the picture
  --work build/bench   packages, converted models, logs

Each network is built by `frit build` for each thread count. An engine whose outputs differ from
most others' by more than 5e-3 of the largest value is named and not timed: that is above what
roundings of these networks come to (MNN's Winograd: 3e-3) and below a wrong tap; frit itself is
judged by its contract elsewhere (frit verify, tests/oracle). Prints one table, and over the networks
marked "gate" the geometric mean of (fastest peer / frit) and its worst.
Exit code 1: frit failed on a network, or gave wrong results.
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
from importlib import metadata

import numpy as np

import chart
import engines as eng

ROOT = eng.HERE.parent.parent
AGREEMENT = 5e-3
SPREAD = 0.05  # MAD / median from which a figure is marked
FRIT = ROOT / "build" / "dev" / "apps" / "frit"


class Network:
    """One line of the list."""

    def __init__(self, line):
        self.name, file, text, gate = line.split()
        self.path = ROOT / "build" / "models" / file
        self.gate = gate == "gate"
        self.shape_text = text
        self.input, extents = text.rsplit(":", 1)
        self.shape = [int(extent) for extent in extents.split("x")]


class Measured:
    """One network at one thread count: engine -> its starts' samples, or a fault's text."""

    def __init__(self, network, threads):
        self.network, self.threads = network, threads
        self.starts = {}  # engine -> list of lists of ns
        self.faults = {}  # engine -> text
        self.report = None

    def best_start(self, engine):
        return min(self.starts[engine], key=lambda samples: eng.median_and_mad(samples)[0])

    def median_ns(self, engine):
        return eng.median_and_mad(self.best_start(engine))[0] if engine in self.starts else None

    def fastest_peer(self):
        peers = [engine for engine in self.starts if engine != "frit"]
        return min(peers, key=self.median_ns, default=None)

    def ratio(self):
        """Fastest peer's time / frit's: above 1 frit is faster."""
        peer = self.fastest_peer()
        if peer is None or "frit" not in self.starts:
            return None
        return self.median_ns(peer) / self.median_ns("frit")


def read_networks(text):
    lists = pathlib.Path(text)
    names = None
    if not lists.is_file():
        lists, names = ROOT / "bench" / "models" / "networks.txt", text.split(",")
    lines = [line for line in lists.read_text().splitlines() if line.strip() and line[0] != "#"]
    networks = [Network(line) for line in lines]
    if names is None:
        return networks
    known = {network.name: network for network in networks}
    for name in names:
        if name not in known:
            sys.exit(f"suite.py: '{name}' is neither a file nor in {lists}, which has "
                     f"{', '.join(known)}")
    return [known[name] for name in names]


def build_package(network, threads, work):
    """The package's folder, or the first line of what frit said."""
    folder = work / f"{network.name}_{threads}"
    done = subprocess.run([FRIT, "build", network.path, "-o", folder, "--name", network.name,
                           "--shape", network.shape_text, "--threads", str(threads)],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return folder, None
    return None, next((line for line in done.stderr.splitlines() if "error" in line), "no package")


def wrong_engines(outputs):
    """{engine: text} of those that differ from most others, most of all by how much."""
    wrong = {}
    for engine, ours in outputs.items():
        off = {other: eng.difference(ours, theirs) for other, theirs in outputs.items()
               if other != engine}
        far = [other for other, size in off.items() if not size <= AGREEMENT]
        if 2 * len(far) > len(off):
            wrong[engine] = f"wrong result: {off[far[0]]:.2g} of the largest value off {far[0]}"
    return wrong


def outputs_of(running, report, folder):
    outputs = {}
    for engine in running:
        if engine.name == "frit":
            outputs["frit"] = eng.frit_outputs(report, folder)
        else:
            outputs[engine.name] = eng.peer_outputs(engine.name, folder)
    return outputs


def one_start(measured, commands, options, folder):
    """Starts every engine that has no fault yet, compares, times."""
    running = []
    try:
        for engine, command in commands.items():
            if engine in measured.faults:
                continue
            try:
                running.append(eng.Engine(engine, command, eng.cores_for(measured.threads), folder))
            except eng.EngineFault as fault:
                measured.faults[engine] = str(fault)
        wrong = wrong_engines(outputs_of(running, measured.report, folder))
        measured.faults.update(wrong)
        timed = [engine for engine in running if engine.name not in wrong]
        eng.time_in_turns(timed, options.rounds, options.burst)
        for engine in timed:
            measured.starts.setdefault(engine.name, []).append(engine.samples)
    finally:
        for engine in running:
            engine.end()


def measure(network, threads, options, scratch):
    measured = Measured(network, threads)
    folder = scratch / network.name
    folder.mkdir(exist_ok=True)
    noise = np.random.default_rng(0).standard_normal(network.shape).astype(np.float32)
    eng.store_inputs({network.input: noise}, folder)
    commands = {}
    package, fault = build_package(network, threads, options.work)
    if package:
        measured.report = eng.read_report(package)
        program = eng.build_driver(package, measured.report, folder)
        commands["frit"] = eng.frit_command(program, measured.report, threads, folder)
    else:
        measured.faults["frit"] = fault
    for peer in options.peers:
        commands[peer] = eng.peer_command(peer, network.path, threads, folder)
    for _ in range(options.starts):
        one_start(measured, commands, options, folder)
    for engine in measured.faults:  # a fault met later makes earlier figures worthless
        measured.starts.pop(engine, None)
    return measured


# --- what is printed and written ---

def cell(measured, engine):
    if engine not in measured.starts:
        return "-"
    middle, mad = eng.median_and_mad(measured.best_start(engine))
    return f"{middle / 1e6:.2f}" + ("~" if mad > SPREAD * middle else "")


def table(results, names):
    head = ["network", "threads", *(f"{name} ms" for name in names), "fastest peer / frit"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for measured in results:
        ratio = measured.ratio()
        text = "-" if ratio is None else f"{ratio:.2f} ({measured.fastest_peer()})"
        row = [measured.network.name + ("" if measured.network.gate else " +"),
               str(measured.threads), *(cell(measured, name) for name in names), text]
        lines.append("| " + " | ".join(row) + " |")
    lines.append("\n+ not of the gate.  ~ spread (MAD) above 5 %.  - not timed.")
    return "\n".join(lines)


def gate_facts(results, threads):
    gate = [m for m in results if m.network.gate and m.threads == threads]
    ratios = {m.network.name: m.ratio() for m in gate if m.ratio() is not None}
    if not ratios:
        return None
    worst = min(ratios, key=ratios.get)
    mean = math.exp(sum(math.log(ratio) for ratio in ratios.values()) / len(ratios))
    return {"threads": threads, "networks": len(gate), "measured": len(ratios),
            "geomean_ratio": mean, "worst": worst, "worst_ratio": ratios[worst]}


def gate_line(facts):
    return (f"gate, {facts['threads']} thread{'s' * (facts['threads'] > 1)}: fastest peer / frit, "
            f"geometric mean {facts['geomean_ratio']:.2f} over {facts['measured']} of "
            f"{facts['networks']} networks, worst {facts['worst_ratio']:.2f} ({facts['worst']})")


def warnings_of(measured, engine, load):
    warnings = []
    middle, mad = eng.median_and_mad(measured.best_start(engine))
    if mad > SPREAD * middle:
        warnings.append({"id": 1, "code": "spread",
                         "text": f"MAD is {mad / middle:.0%} of the median"})
    if load > 1.0:
        warnings.append({"id": 2, "code": "load", "text": f"load average {load:.1f} at the start"})
    return warnings


def runs_json(measured, load, options):
    report = measured.report or {"groups": [], "target": ""}
    nodes = [node for group in report["groups"] for node in group["onnx_nodes"]]
    schedules = "".join(f"{g['schedule']['name']} {g['schedule']['sha256']}\n"
                        for g in report["groups"] if "schedule" in g)
    sha = hashlib.sha256(measured.network.path.read_bytes()).hexdigest()
    for engine in measured.starts:
        samples = measured.best_start(engine)
        middle, mad = eng.median_and_mad(samples)
        ours = engine == "frit"
        yield {"engine": engine, "network": measured.network.name, "gate": measured.network.gate,
               "model": measured.network.path.name, "model_sha256": sha,
               "shape": measured.network.shape_text, "threads": measured.threads, "group": "",
               "onnx_nodes": nodes if ours else [], "target": report["target"] if ours else "",
               "schedule_sha": hashlib.sha256(schedules.encode()).hexdigest() if ours else "",
               "median_ns": middle, "mad_ns": mad, "least_ns": min(samples),
               "starts_median_ns": [eng.median_and_mad(s)[0] for s in measured.starts[engine]],
               "samples_ns": samples, "warnings": warnings_of(measured, engine, load),
               "repro": "build/peers/bin/python bench/peers/suite.py "
                        f"--models {measured.network.name} --threads {measured.threads} "
                        f"--starts {options.starts} --rounds {options.rounds} "
                        f"--burst {options.burst} --peers {','.join(options.peers)}"}


def result_json(results, load, options):
    doctor = json.loads(subprocess.run([FRIT, "--json", "doctor"], capture_output=True,
                                       text=True).stdout)
    faults = [{"network": m.network.name, "threads": m.threads, "engine": engine, "text": text}
              for m in results for engine, text in m.faults.items()]
    gates = [gate_facts(results, threads) for threads in options.threads]
    return {"schema": "frit.bench/1",
            "tool": {"name": "bench/peers/suite.py", "frit": doctor["tool"],
                     "engines": {peer: metadata.version(peer) for peer in options.peers}},
            "host": doctor["host"], "load_average": load,
            "gate": [facts for facts in gates if facts], "faults": faults,
            "runs": [run for m in results for run in runs_json(m, load, options)]}


def chart_rows(results, names, threads):
    return [chart.Row(m.network.name,
                      {name: m.median_ns(name) for name in names if name in m.starts}, m.ratio())
            for m in results if m.threads == threads]


def write_results(results, load, options, names):
    if options.json:
        options.json.write_text(json.dumps(result_json(results, load, options), indent=1) + "\n")
    if options.svg:
        panels = []
        for threads in options.threads:
            facts = gate_facts(results, threads)
            panels.append(chart.Panel(f"{threads} thread{'s' * (threads > 1)}",
                                      gate_line(facts) if facts else "",
                                      chart_rows(results, names, threads)))
        options.svg.write_text(chart.svg(panels, names))


def parse():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", default=str(ROOT / "bench" / "models" / "networks.txt"))
    arguments.add_argument("--threads", default="1,2",
                           type=lambda text: [int(word) for word in text.split(",")])
    arguments.add_argument("--starts", type=int, default=5)
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--burst", type=int, default=3)
    arguments.add_argument("--peers", default=",".join(eng.PEERS),
                           type=lambda text: text.split(","))
    arguments.add_argument("--json", type=pathlib.Path)
    arguments.add_argument("--svg", type=pathlib.Path)
    arguments.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "bench")
    return arguments.parse_args()


def main():
    options = parse()
    networks = read_networks(options.models)
    cores = len(os.sched_getaffinity(0))
    if max(options.threads) > cores:
        sys.exit(f"suite.py: {max(options.threads)} threads asked for but this process may use "
                 f"{cores} cores; ask for fewer")
    load = os.getloadavg()[0]
    options.work.mkdir(parents=True, exist_ok=True)
    results = []
    with tempfile.TemporaryDirectory(dir=options.work) as scratch:
        for network in networks:
            if not network.path.exists():
                print(f"{network.name}: no {network.path.name}; bash bench/models/make.sh")
                continue
            for threads in options.threads:
                measured = measure(network, threads, options, pathlib.Path(scratch))
                results.append(measured)
                for engine, text in measured.faults.items():
                    print(f"{network.name}, {threads} threads: {engine}: {text}", flush=True)
                print(f"{network.name}, {threads} threads: done", file=sys.stderr, flush=True)
    names = ["frit", *options.peers]
    print(table(results, names))
    for threads in options.threads:
        facts = gate_facts(results, threads)
        if facts:
            print(gate_line(facts))
    write_results(results, load, options, names)
    return 1 if any("frit" in m.faults for m in results) else 0


if __name__ == "__main__":
    sys.exit(main())
