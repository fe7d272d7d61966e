"""The benchmark suite finds wrong engines; the gate's figures and the picture are right.

usage: suite_test.py BUILD_DIR
"""
import math
import pathlib
import sys
import xml.etree.ElementTree

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers"))

import chart  # noqa: E402
import suite  # noqa: E402


def network(name, gate):
    return suite.Network(f"{name} {name}.onnx gpu_0/data:1x3x4x5 {'gate' if gate else '-'}")


def measured(name, gate, medians_ms):
    result = suite.Measured(network(name, gate), 1)
    # The second start is the better one; the outlier does not move its median.
    result.starts = {engine: [[9e9, 9e9, 9e9], [ms * 1e6, ms * 1e6, 8e9]]
                     for engine, ms in medians_ms.items()}
    return result


def test_engine_that_differs_from_most_is_named():
    right = {"y": np.array([1.0, 2.0], np.float32)}
    near = {"y": np.array([1.0, 2.001], np.float32)}
    wrong = {"y": np.array([1.0, 2.1], np.float32)}
    assert list(suite.wrong_engines({"frit": right, "a": near, "b": right, "c": wrong})) == ["c"]
    assert list(suite.wrong_engines({"frit": wrong, "a": near, "b": right})) == ["frit"]
    assert not suite.wrong_engines({"frit": right, "a": near})
    lost = {"y": np.array([1.0, np.nan], np.float32)}
    other_shape = {"y": np.ones(3, np.float32)}
    for bad in (lost, other_shape, {}):
        assert list(suite.wrong_engines({"frit": bad, "a": near, "b": right})) == ["frit"]


def test_gate_counts_its_networks_only():
    results = [measured("one", True, {"frit": 2.0, "a": 4.0, "b": 6.0}),    # 2.0
               measured("two", True, {"frit": 2.0, "a": 9.0, "b": 1.0}),    # 0.5
               measured("more", False, {"frit": 1.0, "a": 0.1}),
               measured("unbuilt", True, {"a": 1.0})]
    facts = suite.gate_facts(results, 1)
    assert (facts["networks"], facts["measured"]) == (3, 2)
    assert math.isclose(facts["geomean_ratio"], 1.0), facts
    assert (facts["worst"], facts["worst_ratio"]) == ("two", 0.5)
    assert suite.gate_facts(results, 2) is None
    assert "| two | 1 | 2.00 | 9.00 | 1.00 | 0.50 (b) |" in suite.table(results, ["frit", "a", "b"])


def test_picture_is_xml_and_says_every_figure():
    results = [measured("one", True, {"frit": 2.0, "a": 4.0}), measured("<2>", True, {"a": 1.0})]
    names = ["frit", "a"]
    panel = chart.Panel("1 thread", "note", suite.chart_rows(results, names, 1))
    root = xml.etree.ElementTree.fromstring(chart.svg([panel], names))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    for wanted in ("2.00 ms", "4.00 ms", "2.00x", "frit: not timed", "<2>"):
        assert wanted in texts, (wanted, texts)
    bars = [e for e in root.iter() if e.tag.endswith("rect") and e.get("height") == "9"]
    assert len(bars) == 3
    assert math.isclose(float(bars[0].get("width")) * 2, float(bars[1].get("width")), rel_tol=1e-2)


def test_list_of_networks_is_whole():
    networks = suite.read_networks(str(ROOT / "bench" / "models" / "networks.txt"))
    assert sum(n.gate for n in networks) == 7
    det = next(n for n in networks if n.name == "ppocr_det")
    assert (det.input, det.shape) == ("x", [1, 3, 640, 640])
    light = network("n", True)
    assert (light.input, light.shape) == ("gpu_0/data", [1, 3, 4, 5])


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"ok    {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
