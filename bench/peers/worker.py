"""Runs a model in ONNX Runtime or OpenVINO on request, with driver.c's protocol.

usage: worker.py onnxruntime|openvino MODEL.onnx THREADS FOLDER
FOLDER holds input.npz (by name); the outputs are written there as <engine>.npz. Then "ready", and
for each line "N" on stdin one line of N times in nanoseconds.
"""
import pathlib
import sys
import time

import numpy as np


def onnxruntime_runner(model, threads, inputs):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Static extents for the engine too, as frit has them.
    probe = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    for info in probe.get_inputs():
        for name, extent in zip(info.shape, inputs[info.name].shape):
            if isinstance(name, str) and name != "?":
                options.add_free_dimension_override_by_name(name, extent)
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return names, lambda: session.run(None, inputs)


def openvino_runner(model, threads, inputs):
    import openvino as ov
    core = ov.Core()
    network = core.read_model(model)
    network.reshape({name: list(value.shape) for name, value in inputs.items()})
    compiled = core.compile_model(network, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.set_tensors({name: ov.Tensor(value) for name, value in inputs.items()})
    names = [output.get_any_name() for output in compiled.outputs]

    def run():
        request.infer()
        return [request.get_output_tensor(i).data for i in range(len(names))]
    return names, run


def main():
    engine, model, threads, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    with np.load(folder / "input.npz") as stored:
        inputs = {name: stored[name] for name in stored.files}
    make = {"onnxruntime": onnxruntime_runner, "openvino": openvino_runner}[engine]
    names, run = make(model, int(threads), inputs)
    np.savez(folder / f"{engine}.npz", **dict(zip(names, (np.array(v) for v in run()))))
    print("ready", flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter_ns()
            run()
            times.append(time.perf_counter_ns() - start)
        print(*times, flush=True)


if __name__ == "__main__":
    main()
