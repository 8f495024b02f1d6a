"""Theory for a measured Hessian: Kronecker decoupling, norms against the width, `dong`'s comparison."""

import numpy as np
import pytest

from rmtsim.hessians import hessian, kronecker_decoupling, norm_against_width
from rmtsim.papers.dong.hessian import beside as dong_beside
from rmtsim.papers.wu.hessian import beside as wu_beside

torch = pytest.importorskip("torch", reason="PyTorch (extra `torch`) is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script")
nn = torch.nn


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))


@pytest.fixture(scope="module")
def data():
    torch.manual_seed(1)
    return torch.randn(300, 6), torch.randint(4, (300,))


def test_factors_of_the_last_layer(model, data):
    operator = hessian(model, nn.CrossEntropyLoss(), data, dtype="float64")
    found = kronecker_decoupling(operator, "2")
    hidden = torch.relu(model[0](data[0])).detach().double().numpy()
    p = torch.softmax(model(data[0]), dim=1).detach().double().numpy()
    curvature = np.diag(p.mean(axis=0)) - p.T @ p / 300
    np.testing.assert_allclose(found.curvature, curvature, atol=1e-7)
    np.testing.assert_allclose(found.inputs, hidden.T @ hidden / 300, atol=1e-6)
    whole = np.einsum("ni,ij,na,nb->iajb", p, np.eye(4), hidden, hidden) / 300
    whole -= np.einsum("ni,nj,na,nb->iajb", p, p, hidden, hidden) / 300
    values, vectors = np.linalg.eigh(whole.reshape(32, 32))
    np.testing.assert_allclose(found.values, values[::-1][:3], rtol=1e-5)
    approximate, basis = np.linalg.eigh(np.kron(curvature, hidden.T @ hidden / 300))
    np.testing.assert_allclose(found.approximate, approximate[::-1][:3], rtol=1e-5)
    overlap = np.square(vectors[:, -3:].T @ basis[:, -3:]).sum() / 3
    assert abs(found.overlap.value - overlap) < 1e-5
    assert found.overlap.low <= overlap <= found.overlap.high
    assert found.overlap.high - found.overlap.low < 0.2
    assert found.plot().axes


def test_hidden_layer_and_refusals(model, data):
    operator = hessian(model, nn.CrossEntropyLoss(), data)
    assert kronecker_decoupling(operator, "0").overlap.value > 0.5
    with pytest.raises(ValueError, match="no dense layer of that name"):
        kronecker_decoupling(operator, "1")
    with pytest.raises(ValueError, match="expected the Hessian of a torch model"):
        kronecker_decoupling(hessian(np.eye(3)), "0")
    positions = hessian(
        nn.Sequential(nn.Linear(6, 4), nn.Flatten(), nn.Linear(8, 4)),
        nn.CrossEntropyLoss(),
        (torch.randn(20, 2, 6), torch.randint(4, (20,))),
    )
    with pytest.raises(ValueError, match="does not read one row per sample"):
        kronecker_decoupling(positions, "0")
    assert "no theory here" in wu_beside(positions)
    assert "overlap" in wu_beside(operator)


def test_dong_knows_the_default_initialisation(model, data):
    torch.manual_seed(2)
    wider = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 4))
    inputs = torch.randn(300, 12)
    words = dong_beside(hessian(wider, nn.CrossEntropyLoss(), (inputs, data[1])))
    assert "hidden ratio" in words
    assert "known  weights of layer 1: fan-in × mean square" in words
    assert "PyTorch's default, uniform with variance 1/(3 fan-in)" in words
    assert "BROKEN weights" not in words
    convolution = nn.Sequential(nn.Conv1d(1, 2, 3), nn.Flatten(), nn.Linear(8, 4))
    images = hessian(convolution, nn.CrossEntropyLoss(), (data[0][:, None], data[1]))
    assert dong_beside(images).startswith("no theory here: layer '0' is Conv1d")
    own = hessian(model, lambda o, t: nn.functional.cross_entropy(o, t), data)
    assert dong_beside(own).startswith("no theory here: loss function")


class Scaled(nn.Module):
    """One hidden layer of equal neurons in the parametrisation of the theorem: f = vᵀ tanh(w x)/√m, norm ∝ m^-1/2."""

    def __init__(self, width):
        super().__init__()
        self.w, self.v = nn.Parameter(torch.ones(width, 3)), nn.Parameter(torch.ones(width))

    def forward(self, x):
        return torch.tanh(x @ self.w.T) @ self.v / len(self.v) ** 0.5


def test_norms_against_the_width():
    torch.manual_seed(0)
    x = torch.tensor([[1.0, -0.5, 0.8]])
    found = norm_against_width(Scaled, [8, 32, 128], x, draws=3)
    assert abs(found.exponent.value + 0.5) < 1e-3
    standard = norm_against_width(
        lambda m: nn.Sequential(nn.Linear(3, m), nn.Tanh(), nn.Linear(m, 1)), [8, 32, 128], x, draws=3
    )
    assert standard.exponent.value > -0.2, "PyTorch's own parametrisation: no decrease"
    assert found.plot().axes
    with pytest.raises(ValueError, match="increasing"):
        norm_against_width(Scaled, [16, 16], x)
