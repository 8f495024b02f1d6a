"""Networks read from torch modules, against torch's own derivatives. Skipped where PyTorch is not installed."""

import numpy as np
import pytest

from rmtsim.networks import from_torch, loss

torch = pytest.importorskip("torch", reason="PyTorch (extra `torch`) is not installed")
nn = torch.nn

X = np.random.default_rng(0).standard_normal((6, 3))


def flat_hessian(module, loss):
    """Torch's Hessian over module.parameters(), in their order."""
    names = [name for name, _ in module.named_parameters()]
    shapes = [p.shape for p in module.parameters()]

    def function(flat):
        parts = torch.split(flat, [s.numel() for s in shapes])
        values = {n: p.reshape(s) for n, p, s in zip(names, parts, shapes, strict=True)}
        return loss(torch.func.functional_call(module, values, (torch.from_numpy(X),)))

    flat = torch.cat([p.detach().reshape(-1) for p in module.parameters()])
    gradient = torch.autograd.functional.jacobian(function, flat)
    return gradient.numpy(), torch.autograd.functional.hessian(function, flat).numpy()


@pytest.mark.parametrize(
    "layer",
    [nn.ReLU(), nn.LeakyReLU(0.2), nn.Tanh(), nn.Sigmoid(), nn.Softplus(), nn.GELU(), nn.SiLU()],
    ids=lambda layer: type(layer).__name__,
)
@pytest.mark.parametrize("bias", [True, False])
def test_against_torch(layer, bias):
    torch.manual_seed(0)
    module = nn.Sequential(
        nn.Linear(3, 5, bias=bias), layer, nn.Sequential(nn.Linear(5, 4), layer), nn.Linear(4, 2, bias=bias)
    ).double()
    labels = torch.arange(6) % 2
    network = from_torch(module, torch.from_numpy(X), labels)
    assert network.architecture.loss.name == "cross_entropy"
    gradient, hessian = flat_hessian(module, lambda out: nn.functional.cross_entropy(out, labels))
    scale = np.abs(hessian).max()
    np.testing.assert_allclose(network.gradient(X, labels.numpy()), gradient, rtol=0, atol=1e-13)
    np.testing.assert_allclose(
        network.hessian(X, labels.numpy()), hessian, rtol=0, atol=1e-13 * max(scale, 1)
    )
    goals = np.zeros((6, 2))
    square = from_torch(module, X, goals)
    _, hessian = flat_hessian(module, lambda out: (out - torch.from_numpy(goals)).square().sum(dim=1).mean())
    np.testing.assert_allclose(
        square.hessian(X, goals), hessian, rtol=0, atol=1e-12 * max(1, np.abs(hessian).max())
    )


def test_single_precision_flatten_dropout_softmax():
    torch.manual_seed(0)
    module = nn.Sequential(
        nn.Flatten(), nn.Linear(4, 3), nn.Tanh(), nn.Dropout(0.5), nn.Linear(3, 2), nn.Softmax(-1)
    )
    module.eval()
    images = torch.randn(5, 2, 2)
    network = from_torch(module, images, np.zeros((5, 2)), loss="none")
    np.testing.assert_allclose(
        network.output(images.numpy().reshape(5, 4).astype(float)), module(images).detach().numpy(), atol=1e-6
    )


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)), "layer '1' is BatchNorm1d"),
        (
            nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.ReLU(), nn.LayerNorm(2))),
            r"layer '1\.1' is LayerNorm",
        ),
        (nn.Sequential(nn.Conv1d(1, 1, 3)), "layer '0' is Conv1d"),
        (nn.Sequential(nn.Linear(3, 2), nn.GELU("tanh")), "layer '1' is GELU"),
        (nn.Sequential(nn.Linear(3, 2), nn.Softplus(2.0)), "layer '1' is Softplus"),
        (nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5)), "layer '1' is Dropout"),
        (nn.Sequential(nn.Linear(3, 2), nn.Softmax(1), nn.Linear(2, 2)), "layer '1' is Softmax"),
        (nn.Sequential(nn.ReLU(), nn.Linear(3, 2)), "comes before any linear layer"),
        (nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Tanh()), "follows another activation"),
        (nn.Sequential(nn.Linear(3, 2), nn.Softplus(1.0, 0.5)), "layer '1' is Softplus"),
        (nn.Sequential(nn.Flatten(0), nn.Linear(18, 2)), "layer '0' is Flatten"),
        (nn.Sequential(nn.Identity()), "no linear layer"),
    ],
    ids=str,
)
def test_layers_not_understood_are_named(module, message):
    with pytest.raises(ValueError, match=message):
        from_torch(module, X, np.zeros((6, 2)))


def test_a_module_that_does_something_else_is_noticed():
    class Twice(nn.Sequential):
        def forward(self, x):
            return 2 * super().forward(x)

    with pytest.raises(ValueError, match="its output differs"):
        from_torch(Twice(nn.Linear(3, 2)).double(), X, np.zeros((6, 2)))
    with pytest.raises(TypeError, match=r"module=str: expected a torch\.nn\.Module"):
        from_torch("model.pt", X, X)


SHARED = nn.Linear(3, 3)
TIED = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Linear(3, 2))
TIED[2].weight = TIED[0].weight


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (
            nn.Sequential(SHARED, nn.Tanh(), SHARED, nn.Linear(3, 2)),
            "layer '2' shares its weight with layer '0'",
        ),
        (TIED, "layer '2' shares its weight with layer '0'"),
        (
            nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))),
            "layer '0' .* computes its weight or bias from",
        ),
    ],
    ids=["layer", "weight", "weight_norm"],
)
def test_parameters_that_are_not_the_layers_own_are_refused(module, message):
    """The Hessian over module.parameters() is another one than over each layer's matrix."""
    with pytest.raises(ValueError, match=message):
        from_torch(module.double(), X, np.zeros((6, 2)))


def test_one_activation_in_several_places():
    """nn.Sequential.named_children() has each module once; the pass has it as often as it occurs."""
    torch.manual_seed(0)
    act = nn.Tanh()
    module = nn.Sequential(
        nn.Linear(3, 3),
        act,
        nn.Linear(3, 3),
        act,
        nn.Flatten(),
        nn.Linear(3, 2),
        nn.Softmax(-1),
        nn.Identity(),
    ).double()
    goals = np.zeros((6, 2))
    network = from_torch(module, X, goals)
    assert [layer.activation.name for layer in network.architecture.layers] == ["tanh", "tanh", "softmax"]
    _, hessian = flat_hessian(module, lambda out: out.square().sum(dim=1).mean())
    np.testing.assert_allclose(network.hessian(X, goals), hessian, rtol=0, atol=1e-13)


def test_softplus_beyond_its_threshold_and_bfloat16():
    """Torch's softplus is linear from 20 on, 2e-9 away from the function: a rounding of its own."""
    module = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 2)).double()
    with torch.no_grad():
        module[0].bias.fill_(21.0)
    from_torch(module, X, np.zeros((6, 2)))
    network = from_torch(module.bfloat16(), torch.from_numpy(X).bfloat16(), torch.zeros(6, 2).bfloat16())
    assert network.parameters.dtype == np.float64


def test_the_example_of_the_docstring_runs():
    """It is skipped with the other examples, since PyTorch is optional."""
    import doctest

    text = from_torch.__doc__.replace("  # doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text, {"from_torch": from_torch}, "from_torch", None, 0)
    assert len(example.examples) == 3
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_factor_that_makes_the_mean_of_torch(outputs):
    module = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, outputs)).double()
    goals = torch.ones(6, outputs, dtype=torch.float64)
    network = from_torch(module, X, goals, loss=loss("square", factor=1 / outputs))
    gradient, hessian = flat_hessian(module, lambda out: nn.functional.mse_loss(out, goals))
    np.testing.assert_allclose(network.gradient(X, goals), gradient, rtol=0, atol=1e-14)
    np.testing.assert_allclose(network.hessian(X, goals), hessian, rtol=0, atol=1e-13)


def test_targets_inputs_and_the_loss_chosen():
    module = nn.Sequential(nn.Linear(3, 2)).double()
    assert from_torch(module, X, None, loss="none").loss(X) == pytest.approx(
        module(torch.from_numpy(X)).sum().item() / 6
    )
    with pytest.raises(ValueError, match="targets=None"):
        from_torch(module, X, None)
    with pytest.raises(ValueError, match=r"inputs of shape \(6, 2\): expected \(samples, 3\)"):
        from_torch(module, X[:, :2], np.zeros((6, 2)))
    with pytest.raises(ValueError, match=r"labels in \[0, 1\] \(the loss cross_entropy was chosen"):
        from_torch(module, X, np.arange(6))
    with pytest.raises(ValueError, match=r"labels in \[0, 1\]$"):
        from_torch(module, X, np.arange(6), loss="cross_entropy")
