"""Writes torchvision's networks as ONNX files.

usage: build/export/bin/python bench/models/export_torchvision.py FOLDER NAME...
NAME is one of mobilenet_v2, mobilenet_v3_small, efficientnet_b0, resnet50, vit_ti_16 (the tiny one of
https://arxiv.org/abs/2012.12877: 12 blocks of width 192, 3 heads, 197 tokens).

Seeded random weights (no pretrained ones can be fetched), made to behave like trained ones: He
scale for convolutions, batch norms with scale near 1 and bias near 0 whose running statistics are
measured on noise, attention scores of deviation 2, so that activations stay of order one and no
softmax is flat; checked, and the range printed. Opset 17,
input "input" [1,3,224,224], output "output" [1,1000] logits. The exporter folds batch norms into the
convolutions, as it does for every user.
"""
import pathlib
import sys
import warnings

import torch
import torchvision

NAMES = ["mobilenet_v2", "mobilenet_v3_small", "efficientnet_b0", "resnet50", "vit_ti_16"]
LOGIT_STD = 2.0
ORDER_ONE = (0.02, 20.0)  # standard deviations allowed anywhere


def made(name):
    if name == "vit_ti_16":
        return torchvision.models.VisionTransformer(
            image_size=224, patch_size=16, num_layers=12, num_heads=3, hidden_dim=192, mlp_dim=768)
    return getattr(torchvision.models, name)(weights=None)


def draw_weights(network):
    for module in network.modules():
        if isinstance(module, torch.nn.MultiheadAttention):
            # Queries and keys of variance 2: scores q k / sqrt(d) of deviation 2.
            torch.nn.init.normal_(module.in_proj_weight, std=(2 / module.embed_dim) ** 0.5)
            torch.nn.init.normal_(module.in_proj_bias, std=0.1)
        if isinstance(module, torch.nn.Conv2d):
            torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            if module.bias is not None:
                torch.nn.init.normal_(module.bias, std=0.1)
        elif isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.normal_(module.weight, mean=1.0, std=0.1)
            torch.nn.init.normal_(module.bias, std=0.1)
        elif isinstance(module, torch.nn.Linear):
            torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            torch.nn.init.normal_(module.bias, std=0.1)


def rounded(tensor):
    """To eight bits of mantissa: the bytes do not depend on how a CPU orders its sums."""
    mantissa, exponent = torch.frexp(tensor)
    return torch.ldexp(torch.round(mantissa * 256) / 256, exponent)


def calibrate(network, generator):
    """Running statistics of every batch norm, and the scale of the last layer."""
    norms = [m for m in network.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.train()
        norm.momentum = None  # the plain mean over the batches
    for _ in range(2):
        network(torch.randn(8, 3, 224, 224, generator=generator))
    for norm in norms:
        norm.eval()
        norm.running_mean.copy_(rounded(norm.running_mean))
        norm.running_var.copy_(rounded(norm.running_var))
    last = [m for m in network.modules() if isinstance(m, torch.nn.Linear)][-1]
    logits = network(torch.randn(4, 3, 224, 224, generator=generator))
    last.weight.mul_(rounded(LOGIT_STD / logits.std()))


def check(name, network, generator):
    deviations = []

    def note(module, _, out):
        if not list(module.children()) and out.numel() > 1:
            deviations.append(float(out.std()))

    hooks = [module.register_forward_hook(note) for module in network.modules()]
    logits = network(torch.randn(1, 3, 224, 224, generator=generator))
    for hook in hooks:
        hook.remove()
    largest = float(torch.softmax(logits, 1).max())
    print(f"{name}: {len(deviations)} layers, std {min(deviations):.2g} to {max(deviations):.2g}, "
          f"softmax largest {largest:.3g}")
    assert ORDER_ONE[0] <= min(deviations) and max(deviations) <= ORDER_ONE[1], deviations
    assert 0.002 < largest < 0.9, largest


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.set_grad_enabled(False)
    # The older exporter needs no further packages; it says at each call that it is the older one.
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    # The fused form of a MultiheadAttention has no ONNX operator.
    torch.backends.mha.set_fastpath_enabled(False)
    for name in sys.argv[2:]:
        number = NAMES.index(name)  # the weights do not depend on what else is asked for
        torch.manual_seed(number)
        generator = torch.Generator().manual_seed(100 + number)
        network = made(name).eval()
        draw_weights(network)
        calibrate(network, generator)
        check(name, network, generator)
        part = folder / f"{name}.onnx.part"
        torch.onnx.export(network, torch.zeros(1, 3, 224, 224), str(part), opset_version=17,
                          dynamo=False, input_names=["input"], output_names=["output"])
        part.rename(folder / f"{name}.onnx")


if __name__ == "__main__":
    main()
