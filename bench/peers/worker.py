"""Runs a model in ONNX Runtime, OpenVINO or MNN on request (driver.c's protocol), in float32.

usage: worker.py onnxruntime|openvino|mnn MODEL.onnx THREADS FOLDER
FOLDER holds input.npz (by name); the outputs are written there as <engine>.npz. Then "ready", and
for each line "N" on stdin one line of N times in nanoseconds.

A runner gives (names of outputs, prepare, run, outputs). Timed is run alone: prepare is called
before each, outputs once.
"""
import os
import pathlib
import sys
import time

import numpy as np


def nothing():
    pass


def onnxruntime_runner(model, threads, inputs, _folder):
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
    binding = session.io_binding()  # nothing is copied from or to Python
    for name, value in inputs.items():
        binding.bind_cpu_input(name, value)
    for name in names:
        binding.bind_output(name)
    return (names, nothing, lambda: session.run_with_iobinding(binding),
            binding.copy_outputs_to_cpu)


def openvino_runner(model, threads, inputs, _folder):
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
    return (names, nothing, lambda: request.infer(share_outputs=True),
            lambda: [request.get_output_tensor(i).data for i in range(len(names))])


def mnn_runner(model, threads, inputs, folder):
    import MNN
    import _tools  # MNN's converter; its wrapper mnnconvert.py would also report to a server
    converted = folder / "model.mnn"
    if not converted.exists():
        _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", model, "--MNNModel",
                           str(converted), "--bizCode", "frit"])
    network = MNN.Interpreter(str(converted))
    session = network.createSession({"backend": "CPU", "numThread": threads, "precision": "high"})
    tensors = network.getSessionInputAll(session)
    for name, value in inputs.items():
        network.resizeTensor(tensors[name], value.shape)
    network.resizeSession(session)

    def host_tensor(value):
        kind = MNN.Halide_Type_Int if value.dtype == np.int32 else MNN.Halide_Type_Float
        return MNN.Tensor(value.shape, kind, value, MNN.Tensor_DimensionType_Caffe)

    # MNN's converter makes int32 of int64.
    given = {name: host_tensor(value.astype(np.int32) if value.dtype.kind == "i" else value)
             for name, value in inputs.items()}

    def prepare():  # a run may overwrite the session's inputs
        for name, tensor in given.items():
            tensors[name].copyFrom(tensor)

    def outputs():
        values = []
        for tensor in results.values():
            value = np.zeros(tensor.getShape(), np.float32)
            host = host_tensor(value)
            tensor.copyToHostTensor(host)
            values.append(np.array(host.getData(), np.float32).reshape(value.shape))
        return values

    results = network.getSessionOutputAll(session)
    return list(results), prepare, lambda: network.runSession(session), outputs


RUNNERS = {"onnxruntime": onnxruntime_runner, "openvino": openvino_runner, "mnn": mnn_runner}


def main():
    engine, model, threads, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    # What an engine prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with np.load(folder / "input.npz") as stored:
        inputs = {name: stored[name] for name in stored.files}
    names, prepare, run, outputs = RUNNERS[engine](model, int(threads), inputs, folder)
    prepare()
    run()
    np.savez(folder / f"{engine}.npz", **dict(zip(names, (np.array(v) for v in outputs()))))
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            prepare()
            start = time.perf_counter_ns()
            run()
            times.append(time.perf_counter_ns() - start)
        print(*times, file=answers, flush=True)


if __name__ == "__main__":
    main()
