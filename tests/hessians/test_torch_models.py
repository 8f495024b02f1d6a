"""Products of torch models against torch.func.hessian, for ten architectures in both precisions; invalid arguments."""

import copy

import numpy as np
import pytest

from rmtsim.hessians import hessian

torch = pytest.importorskip("torch", reason="PyTorch (extra `torch`) is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script")  # torch.func's own
nn = torch.nn
F = nn.functional


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.inner, self.last = nn.Linear(4, 5), nn.Linear(5, 5), nn.Linear(5, 3)

    def forward(self, x):
        z = torch.tanh(self.first(x))
        return self.last(z + torch.tanh(self.inner(z)))


class Tied(nn.Module):
    """The embedding is the output layer, too."""

    def __init__(self):
        super().__init__()
        self.embedding, self.mix = nn.Embedding(3, 4), nn.Linear(4, 4)
        self.out = nn.Linear(4, 3, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, x):
        return self.out(torch.tanh(self.mix(self.embedding(x))))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.norm, self.out = (
            nn.MultiheadAttention(4, 2, batch_first=True),
            nn.LayerNorm(4),
            nn.Linear(4, 3),
        )

    def forward(self, x):
        z = self.norm(x + self.attention(x, x, x, need_weights=False)[0])
        return self.out(z.mean(dim=1))


class Scaled(nn.Module):
    """scaled_dot_product_attention, whose fast kernels cannot be differentiated twice."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.out = nn.Linear(4, 4), nn.Linear(4, 4, bias=False), nn.Linear(4, 3)

    def forward(self, x):
        return self.out(
            F.scaled_dot_product_attention(self.q(x)[:, None], self.k(x)[:, None], x[:, None])[:, 0].mean(
                dim=1
            )
        )


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.GRU(4, 3, batch_first=True), nn.Linear(3, 3)

    def forward(self, x):
        return self.out(self.cell(x)[0][:, -1])


class Long(nn.Module):
    """A recurrent layer with a state and a memory."""

    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTM(4, 3, batch_first=True), nn.Linear(3, 3)

    def forward(self, x):
        return self.out(self.cell(x)[0][:, -1])


class Ladder(nn.Module):
    """Down, up and a skip connection, as in a U-Net."""

    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(1, 2, 3, stride=2), nn.ConvTranspose2d(2, 1, 3, stride=2)
        self.out = nn.Conv2d(2, 3, 1)

    def forward(self, x):
        z = F.softplus(self.up(F.softplus(self.down(x))))
        return self.out(torch.cat([x, z], dim=1)).mean(dim=(2, 3))


class Unused(nn.Module):
    """One parameter is not used, one is frozen."""

    def __init__(self):
        super().__init__()
        self.used, self.idle, self.frozen = nn.Linear(4, 3), nn.Linear(2, 2), nn.Linear(3, 3)
        self.frozen.requires_grad_(False)

    def forward(self, x):
        return self.frozen(torch.sigmoid(self.used(x)))


VECTORS, SEQUENCES, IMAGES, WORDS = (9, 4), (9, 5, 4), (9, 1, 5, 5), (9,)
MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(4, 5), nn.GELU(), nn.Linear(5, 3)), VECTORS),
    "relu": (
        lambda: nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3)),
        VECTORS,
    ),
    "batch norm": (
        lambda: nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, 3)).eval(),
        VECTORS,
    ),
    "layer norm": (
        lambda: nn.Sequential(nn.Linear(4, 5), nn.LayerNorm(5), nn.SiLU(), nn.Linear(5, 3)),
        VECTORS,
    ),
    "convolution": (
        lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.Tanh(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(2, 3)),
        IMAGES,
    ),
    "residual": (Residual, VECTORS),
    "tied": (Tied, WORDS),
    "attention": (Attention, SEQUENCES),
    "scaled attention": (Scaled, SEQUENCES),
    "encoder": (
        lambda: nn.Sequential(
            nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True), nn.Flatten(), nn.Linear(20, 3)
        ).eval(),
        SEQUENCES,
    ),
    "recurrent": (Recurrent, SEQUENCES),
    "long memory": (Long, SEQUENCES),
    "ladder": (Ladder, IMAGES),
    "group norm": (
        lambda: nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.ELU(), nn.Flatten(), nn.Linear(36, 3)
        ),
        IMAGES,
    ),
    "dropout, evaluated": (
        lambda: nn.Sequential(nn.Linear(4, 5), nn.Dropout(0.5), nn.Tanh(), nn.Linear(5, 3)).eval(),
        VECTORS,
    ),
    "unused and frozen": (Unused, VECTORS),
}


def _made(name, dtype):
    torch.manual_seed(3)
    make, shape = MODELS[name]
    inputs = torch.randint(3, shape) if shape is WORDS else torch.randn(shape, dtype=dtype)
    return make().to(dtype), inputs, torch.arange(9) % 3


def _reference(model, inputs, targets, loss=F.cross_entropy):
    """torch.func.hessian in double precision, in the order of the parameters that require a gradient."""
    model = copy.deepcopy(model).double()
    inputs, targets = (t.double() if t.is_floating_point() else t for t in (inputs, targets))
    named = {n: p for n, p in model.named_parameters() if p.requires_grad}

    def function(flat):
        values, start = {}, 0
        for n, p in named.items():
            values[n] = flat[start : start + p.numel()].reshape(p.shape)
            start += p.numel()
        return loss(torch.func.functional_call(model, values, (inputs,)), targets)

    flat = torch.cat([p.detach().reshape(-1) for p in named.values()])
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
        if any(isinstance(module, nn.LayerNorm) for module in model.modules()):
            return _by_differences(function, flat)
        return torch.func.hessian(function)(flat).double().numpy()


def _by_differences(function, flat):
    """torch.func.hessian of a LayerNorm is not symmetric (torch 2.13): central differences of the gradient instead."""
    gradient, step = torch.func.vmap(torch.func.grad(function)), 1e-5
    steps = step * torch.eye(len(flat), dtype=flat.dtype)
    return ((gradient(flat + steps) - gradient(flat - steps)) / (2 * step)).numpy()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", MODELS)
def test_equal_to_torch(name, dtype):
    model, inputs, targets = _made(name, dtype)
    wanted = _reference(model, inputs, targets)
    operator = hessian(model, nn.CrossEntropyLoss(), (inputs, targets), batch_size=4)
    assert operator.batches == 3
    got = operator.product(np.eye(operator.size))
    exact = 1e-5 if dtype is torch.float32 else 1e-13
    normed = any(isinstance(module, nn.LayerNorm) for module in model.modules())
    accuracy = max(exact, 1e-8) if normed else exact  # differences
    np.testing.assert_allclose(got, got.T, rtol=0, atol=exact)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=accuracy * max(1.0, np.abs(wanted).max()))
    one = operator.product(np.eye(operator.size)[0])  # one vector, without a batched backward pass
    np.testing.assert_allclose(one, wanted[0], rtol=0, atol=accuracy * max(1.0, np.abs(wanted).max()))


def test_gauss_newton():
    model, inputs, targets = _made("mlp", torch.float64)
    operator = hessian(model, nn.CrossEntropyLoss(), (inputs, targets), matrix="gauss-newton")
    jacobian = torch.func.jacrev(lambda p: torch.func.functional_call(model, p, (inputs,)))(
        dict(model.named_parameters())
    )
    rows = (
        torch.cat([jacobian[n].reshape(9, 3, -1) for n, _ in model.named_parameters()], dim=2)
        .detach()
        .numpy()
    )
    p = torch.softmax(model(inputs), dim=1).detach().numpy()
    curvature = np.einsum("ni,ij->nij", p, np.eye(3)) - np.einsum("ni,nj->nij", p, p)
    wanted = np.einsum("nip,nij,njq->pq", rows, curvature, rows) / 9
    np.testing.assert_allclose(operator.product(np.eye(operator.size)), wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    "form", ["tensors", "arrays", "loader", "dataset", "list", "generator", "dictionary", "objective", "sum"]
)
def test_forms_of_data(form):
    model, inputs, targets = _made("mlp", torch.float64)
    wanted = _reference(model, inputs, targets)
    dataset = torch.utils.data.TensorDataset(inputs, targets)
    loss, options = nn.CrossEntropyLoss(), {}
    data = {
        "arrays": (inputs.numpy(), targets.numpy()),
        "loader": torch.utils.data.DataLoader(dataset, batch_size=4, shuffle=True),
        "dataset": dataset,
        "list": [(inputs[:2], targets[:2]), [inputs[2:], targets[2:]]],
        "generator": (pair for pair in [(inputs[:5], targets[:5]), (inputs[5:], targets[5:])]),
        "dictionary": [
            {"input": inputs[:4], "labels": targets[:4]},
            {"input": inputs[4:], "labels": targets[4:]},
        ],
    }.get(form, (inputs, targets))
    if form == "objective":
        loss, options = None, {"objective": lambda m, b: F.cross_entropy(m(b[0]), b[1])}
    if form == "sum":
        loss, wanted = nn.CrossEntropyLoss(reduction="sum"), 9 * wanted
    operator = hessian(model, loss, data, **options)
    assert operator.samples == 9
    np.testing.assert_allclose(operator.product(np.eye(operator.size)), wanted, rtol=0, atol=1e-12)


def test_float64_of_a_float32_model_and_square_loss():
    model, inputs, _ = _made("mlp", torch.float32)
    goals = torch.zeros(9, 3)
    operator = hessian(model, nn.MSELoss(), (inputs, goals), dtype="float64")
    wanted = _reference(model.double(), inputs.double(), goals.double(), F.mse_loss)
    np.testing.assert_allclose(operator.product(np.eye(operator.size)), wanted, rtol=0, atol=1e-13)


def test_groups_of_attention():
    model, inputs, targets = _made("attention", torch.float32)
    operator = hessian(model, nn.CrossEntropyLoss(), (inputs, targets))
    heads = operator.groups("head")
    assert [g.name for g in heads] == ["attention head 0", "attention head 1"]
    # Rows of q, k, v with biases, and columns of the output projection: 3·2·4 + 3·2 + 4·2.
    assert [g.size for g in heads] == [38, 38]
    assert not set(heads[0].indices) & set(heads[1].indices)
    assert [g.name for g in operator.groups("class")] == ["class 0", "class 1", "class 2"]
    assert {g.name for g in operator.groups("layer")} == {"attention", "attention.out_proj", "norm", "out"}
    assert operator.groups("neuron", of="out")[1].name == "out[1]"


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x):
        return self.linear(x + 1e-2 * torch.randn_like(x))


class Other(nn.Module):
    """The loss is of another model's parameters."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x):
        return self.linear(x).detach()


class Clipped(nn.Module):
    """Every evaluation rescales the weight."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(3, 3, max_norm=1.0)

    def forward(self, x):
        return self.embedding(x)[:, 0]


class Cube(torch.autograd.Function):
    """Autograd takes its second derivative for zero."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, slope):
        return 3 * ctx.saved_tensors[0] ** 2 * slope


class Reentrant(nn.Module):
    """Its second derivatives would be wrong without an error."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x):
        from torch.utils.checkpoint import checkpoint

        return checkpoint(
            lambda z: torch.tanh(self.linear(z)), x.clone().requires_grad_(), use_reentrant=True
        )


def _ctc(output, targets):
    """A loss without second derivatives."""
    steps = output.log_softmax(-1)[:, None]
    lengths = torch.tensor([len(output)]), torch.tensor([1])
    return nn.functional.ctc_loss(steps, torch.ones(1, 1, dtype=torch.long), *lengths)


class Cubed(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x):
        return Cube.apply(self.linear(x))


class Named(nn.Module):
    """The output in another form."""

    def __init__(self, form):
        super().__init__()
        self.linear, self.form = nn.Linear(4, 3), form

    def forward(self, x):
        return self.form(torch.tanh(self.linear(x)))


class Samples(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(zip(X, Y, strict=True))


def test_dictionaries_of_outputs_own_losses_and_iterable_data_sets():
    torch.manual_seed(0)
    plain = Named(lambda z: z).double()
    wanted = hessian(plain, CE, (X, Y)).product(np.eye(15))
    for form, loss, data in (
        (lambda z: {"logits": z, "hidden": None}, CE, (X, Y)),
        (lambda z: (CE(z, Y), z), None, [(X,)]),
        (lambda z: z, CE, Samples()),
    ):
        plain.form = form
        operator = hessian(plain, loss, data)
        assert operator.samples == 12
        np.testing.assert_allclose(operator.product(np.eye(15)), wanted, rtol=0, atol=1e-13)
    with torch.inference_mode():
        np.testing.assert_allclose(hessian(plain, CE, (X, Y)).product(np.eye(15)), wanted, rtol=0, atol=1e-13)


def _mlp():
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))


X, Y = torch.randn(12, 4, generator=torch.Generator().manual_seed(0)), torch.arange(12) % 3
CE = nn.CrossEntropyLoss()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hessian(Other(), CE, (X, Y)), "does not depend on the model's parameters"),
        (
            lambda: hessian(_mlp(), lambda o, t: CE(o, t).detach(), (X, Y)),
            "does not depend on the model's parameters",
        ),
        (lambda: hessian(nn.Sequential(nn.Tanh()), CE, (X, Y)), "no parameters that require a gradient"),
        (lambda: hessian(_mlp(), CE, (X * float("nan"), Y)), "loss: nan on batch 0"),
        (
            lambda: hessian(_mlp(), CE, [(X, Y), (X * float("inf"), Y)]).product(np.ones(43)),
            "loss: nan on batch 1",
        ),
        (lambda: hessian(Noisy(), CE, (X, Y)), "the loss is random"),
        (
            lambda: hessian(nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.2)), CE, (X, Y)),
            "layer '1' .Dropout. is in training mode",
        ),
        (
            lambda: hessian(nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)), CE, (X, Y)),
            "layer '1' .BatchNorm1d. is in training",
        ),
        (
            lambda: hessian(
                nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3)), nn.Tanh()), CE, (X, Y)
            ),
            "an evaluation changes its buffer '0.parametrizations.weight.0._u'",
        ),
        (lambda: hessian(_mlp(), nn.CrossEntropyLoss(reduction="none"), (X, Y)), "expected one number"),
        (lambda: hessian(_mlp(), CE), "data: a torch model needs it"),
        (lambda: hessian(_mlp(), CE, (X, Y[:5])), "12 and 5 rows"),
        (lambda: hessian(_mlp(), CE, iter([])), "no batches"),
        (lambda: hessian(_mlp(), CE, 3), "data=int"),
        (lambda: hessian(_mlp(), CE, [X]), "batch 0 is a Tensor"),
        (lambda: hessian(_mlp(), CE, [{"input": X}]), "exactly one of labels"),
        (lambda: hessian(_mlp().half(), CE, (X, Y)), "float16; expected float32 or float64"),
        (lambda: hessian(_mlp(), CE, (X, Y), objective=lambda m, b: 0), "loss and objective"),
        (lambda: hessian(_mlp(), None, (X, Y), matrix="gauss-newton"), "needs loss"),
        (lambda: hessian(X, CE, (X, Y)), "only for a torch model"),
        (lambda: hessian(_mlp(), "mse", (X, Y)), "loss='mse': expected loss"),
        (lambda: hessian(_mlp(), CE, "train.csv"), "data=str: expected"),
        (lambda: hessian(_mlp(), CE, [(X, Y), (X[:0], Y[:0])]), "batch 1 has no samples"),
        (lambda: hessian(_mlp(), CE, [X, Y]), "one data set is a tuple"),
        (lambda: hessian(_mlp(), CE, (X[:, :3], Y)), "evaluating batch 0 raised RuntimeError"),
        (lambda: hessian(_mlp(), lambda o, t: o.sum() * 1j, (X, Y)), "complex64; expected a real number"),
        (lambda: hessian(nn.Sequential(nn.LazyLinear(3)), CE, (X, Y)), "has no shape yet"),
        (lambda: hessian(nn.Linear(4, 3, device="meta"), CE, (X, Y)), "device meta"),
        (lambda: hessian(Clipped(), CE, (Y[:, None], Y)), "layer 'embedding' .Embedding. has max_norm"),
        (lambda: hessian(Cubed(), CE, (X, Y)), "cannot differentiate it twice .*once_differentiable"),
        (lambda: hessian(Named(lambda z: (z, z)), CE, (X, Y)), "returns a tuple, not a tensor"),
        (lambda: hessian(Reentrant(), CE, (X, Y)), "use_reentrant=False"),
        (lambda: hessian(_mlp(), lambda o, t: CE(o, t).item(), (X, Y)), "expected one number, as a tensor"),
        (lambda: hessian(_mlp(), CE, (X, torch.full_like(Y, -100))), "targets that are all ignored"),
        (
            lambda: hessian(nn.Linear(4, 3), _ctc, [(X, Y)]).product(np.ones(15)),
            "cannot differentiate it twice",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_training_mode_is_noticed_later():
    model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5)).eval()
    operator = hessian(model, CE, (X, Y))
    operator.product(np.ones(15))
    model.train()
    with pytest.raises(ValueError, match=r"layer '1' .Dropout. is in training mode"):
        operator.product(np.ones(15))


def test_vectors_with_zeros_in_whole_parameters():
    """Passes for parameters that a vector does not move are left out."""
    model = _mlp().double()
    operator = hessian(model, CE, (X.double(), Y))
    whole = operator.product(np.eye(operator.size))
    for slot in operator.slots:
        vector = np.zeros(operator.size)
        vector[slot.start + slot.size - 1] = 2.0
        np.testing.assert_allclose(
            operator.product(vector), 2 * whole[slot.start + slot.size - 1], atol=1e-14
        )
    assert not operator.product(np.zeros(operator.size)).any()


def test_a_changed_model_is_noticed():
    model = _mlp()
    operator = hessian(model, CE, (X, Y))
    with torch.no_grad():
        model[0].weight.add_(1.0)
    with pytest.raises(ValueError, match="have changed"):
        operator.product(np.ones(43))


def test_a_loss_that_holds_the_model_is_not_copied():
    model = _mlp()
    with pytest.raises(ValueError, match="uses the parameters of the model directly"):
        hessian(model, lambda o, t: CE(o, t) + model[0].weight.square().sum(), (X, Y), dtype="float64")
    decayed = hessian(model, lambda o, t: CE(o, t) + model[0].weight.square().sum(), (X, Y))
    plain = hessian(model, CE, (X, Y))
    v = np.eye(43)[0]
    np.testing.assert_allclose(decayed.product(v) - plain.product(v), 2 * v, atol=1e-5)


def test_the_kept_graph_follows_buffers_and_data():
    """The graph of the last batches is kept between products; what it was made from may change."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, 2)).double().eval()
    x, y = torch.randn(12, 4, dtype=torch.float64), torch.randint(2, (12,))
    loss = nn.CrossEntropyLoss()
    operator = hessian(model, loss, [(x, y)])
    v = np.random.default_rng(0).standard_normal(operator.size)
    first = operator.product(v)
    np.testing.assert_array_equal(operator.product(v), first)
    model[1].running_mean += 1.0
    x *= 2.0
    changed = operator.product(v)
    np.testing.assert_allclose(changed, hessian(model, loss, [(x, y)]).product(v), rtol=1e-12)
    assert np.abs(changed - first).max() > 1e-6


def test_changes_past_the_version_counter_are_noticed():
    torch.manual_seed(0)
    model, x, y = (
        nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)),
        torch.randn(8, 4),
        torch.arange(8) % 2,
    )
    operator = hessian(model, nn.CrossEntropyLoss(), [(x, y)])
    ones = np.ones(operator.size)
    first = operator.product(ones)
    x.data.copy_(x.data.flip(0).clone())  # the same numbers in another order
    assert np.abs(operator.product(ones) - first).max() > 1e-5
    model.load_state_dict(model.state_dict())  # the same values
    threads = torch.get_num_threads()
    for count in (1, 2, threads):
        torch.set_num_threads(count)
        operator.product(ones)
    model[0].weight.data.add_(0.1)
    with pytest.raises(ValueError, match="parameters have changed"):
        operator.product(ones)
    operator = hessian(model, nn.CrossEntropyLoss(), [(x, y)])
    model[2] = nn.Linear(3, 2)
    with pytest.raises(ValueError, match="parameters have changed"):
        operator.product(ones)


@pytest.mark.parametrize(
    "kind",
    [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.bool, torch.int64, torch.complex64],
)
def test_digests_do_not_depend_on_threads_and_see_one_entry(kind):
    from rmtsim.hessians._torch_checks import digest

    torch.manual_seed(0)
    tensor = torch.randn(300_000).mul(3).to(kind)
    threads = torch.get_num_threads()
    found = []
    for count in (1, 2):
        torch.set_num_threads(count)
        found.append(digest([tensor], torch))
    torch.set_num_threads(threads)
    assert found[0] == found[1]
    tensor[299_999] = 1 - tensor[299_999].to(torch.int8) if kind == torch.bool else tensor[299_999] + 1
    assert digest([tensor], torch) != found[0]
    assert digest([tensor.flip(0)], torch) != digest([tensor], torch)
    if kind != torch.bool:  # signs alone change the highest bits
        assert digest([tensor[:400].neg()], torch) != digest([tensor[:400]], torch)


def test_sparse_embeddings_and_inference_tensors():
    torch.manual_seed(0)
    embedding = nn.Embedding(7, 2, sparse=True)
    model = nn.Sequential(embedding, nn.Flatten(), nn.Tanh(), nn.Linear(4, 3)).double()
    x, y = torch.randint(7, (10, 2)), torch.arange(10) % 3
    loss = nn.CrossEntropyLoss()
    found = hessian(model, loss, [(x, y)]).product(np.ones(29))
    assert embedding.sparse is True
    dense = copy.deepcopy(model)
    dense[0].sparse = False
    np.testing.assert_allclose(found, hessian(dense, loss, [(x, y)]).product(np.ones(29)), rtol=1e-12)
    with torch.inference_mode():
        data = torch.randn(10, 4, dtype=torch.float64)
    hessian(model[2:], loss, (data, y)).product(np.ones(15))


class _Odd(nn.Module):
    """A scalar parameter, one without entries, and one that is not used."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 3, dtype=torch.float64))
        self.temperature = nn.Parameter(torch.tensor(1.5, dtype=torch.float64))
        self.empty = nn.Parameter(torch.zeros(0, dtype=torch.float64))
        self.unused = nn.Parameter(torch.ones(2, dtype=torch.float64))

    def forward(self, x):
        return x @ self.weight * self.temperature


def test_scalar_empty_and_unused_parameters_and_lists_of_labels():
    torch.manual_seed(0)
    model, x = _Odd(), torch.randn(30, 4, dtype=torch.float64)
    labels = [k % 3 for k in range(30)]
    operator = hessian(model, CE, (x, labels))
    found = operator.product(np.eye(15))
    np.testing.assert_allclose(found, found.T, atol=1e-14)
    np.testing.assert_array_equal(found[13:], 0.0)
    assert np.abs(found[12]).max() > 1e-3
    assert operator.blocks("parameter").names == ("weight", "temperature", "unused")
    with pytest.raises(ValueError, match="on the device meta"):
        hessian(model, CE, (x.to("meta"), torch.tensor(labels)))


def test_compiled_models_are_evaluated_as_they_were_written():
    torch.manual_seed(0)
    plain = _mlp()
    compiled = nn.Sequential(torch.compile(plain[0], backend="aot_eager"), *plain[1:])
    v = np.arange(43.0)
    np.testing.assert_array_equal(
        hessian(compiled, CE, (X, Y)).product(v), hessian(plain, CE, (X, Y)).product(v)
    )


def test_an_operation_without_a_second_derivative():
    model = nn.Sequential(nn.EmbeddingBag(7, 4), nn.Tanh())
    operator = hessian(model, nn.CrossEntropyLoss(), (torch.randint(7, (8, 2)), torch.arange(8) % 4))
    with pytest.raises(ValueError, match=r"PyTorch cannot differentiate it twice \(.*embedding_bag"):
        operator.product(np.ones(28))


def test_classes_instead_of_instances():
    data = (torch.randn(4, 2), torch.arange(4) % 2)
    with pytest.raises(TypeError, match=r"loss=CrossEntropyLoss: expected an instance"):
        hessian(nn.Linear(2, 2), nn.CrossEntropyLoss, data)
    with pytest.raises(TypeError, match=r"source=Linear: expected an instance"):
        hessian(nn.Linear, nn.CrossEntropyLoss(), data)


def test_a_loss_that_is_linear_in_the_parameters_has_zero_eigenvalues():
    operator = hessian(
        nn.Linear(6, 1), lambda output, targets: output.mean(), (torch.randn(40, 6), torch.zeros(40))
    )
    found = operator.eigenvalues(2)
    assert found.values.tolist() == [0.0, 0.0]
    assert (found.population[0].low, found.population[0].high) == (0.0, 0.0)
    assert found.plot() is not None
    assert operator.trace().plot() is not None


def _reusing(x, y, *, arrays=False):
    """Batches that are all written to the same memory."""
    inputs, targets = torch.empty(8, x.shape[1], dtype=x.dtype), torch.empty(8, dtype=y.dtype)
    for start in range(0, len(x), 8):
        inputs.copy_(x[start : start + 8])
        targets.copy_(y[start : start + 8])
        yield {"input": inputs.numpy(), "labels": targets.numpy()} if arrays else (inputs, targets)


@pytest.mark.parametrize("arrays", [False, True])
def test_batches_that_share_their_memory_are_copied(arrays):
    torch.manual_seed(0)
    model, loss = nn.Sequential(nn.Linear(4, 3)).double(), nn.CrossEntropyLoss()
    x, y = torch.randn(40, 4, dtype=torch.float64), torch.arange(40) % 3
    whole = hessian(model, loss, (x, y)).product(np.eye(15))
    found = hessian(model, loss, _reusing(x, y, arrays=arrays)).product(np.eye(15))
    np.testing.assert_allclose(found, whole, atol=1e-14)


@pytest.mark.parametrize(
    "loss",
    [
        nn.CrossEntropyLoss(weight=torch.tensor([1.0, 5.0, 0.1], dtype=torch.float64)),
        nn.CrossEntropyLoss(ignore_index=1),
    ],
)
def test_a_mean_that_depends_on_the_batches_is_named(loss):
    model = nn.Sequential(nn.Linear(4, 3)).double()
    x, y = torch.randn(40, 4, dtype=torch.float64), torch.arange(40) % 3
    with pytest.warns(UserWarning, match="depends on how the data are cut"):
        hessian(model, loss, [(x[:25], y[:25]), (x[25:], y[25:])])
    hessian(model, loss, (x, y))
    hessian(model, nn.CrossEntropyLoss(), [(x[:25], y[:25]), (x[25:], y[25:])])


def test_neurons_of_normalised_and_transposed_layers():
    torch.manual_seed(0)
    x, y = torch.randn(10, 3), torch.randn(10, 2)
    for layer in (
        nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)),
        nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2)),
    ):
        operator = hessian(nn.Sequential(layer).eval(), nn.MSELoss(), (x, y))
        assert [group.name for group in operator.groups("neuron")] == ["0[0]", "0[1]"]
        assert sum(group.size for group in operator.groups("neuron")) == operator.size
        assert [group.name for group in operator.groups("layer")] == ["0"]
    turned = nn.Sequential(nn.ConvTranspose2d(2, 4, 1, groups=2))
    operator = hessian(turned, nn.MSELoss(), (torch.randn(4, 2, 2, 2), torch.randn(4, 4, 2, 2)))
    assert [group.indices.tolist() for group in operator.groups("neuron")] == [[0, 4], [1, 5], [2, 6], [3, 7]]


def test_places_of_a_parameter_are_checked():
    operator = hessian(nn.Sequential(nn.Linear(4, 3)), nn.MSELoss(), (torch.randn(5, 4), torch.randn(5, 3)))
    assert operator.indices("0.weight", rows=[1], columns=range(2)).tolist() == [4, 5]
    for rows in ([0.5], [], 2):
        with pytest.raises(TypeError, match=r"rows=.*non-empty sequence of integers"):
            operator.indices("0.weight", rows=rows)
    with pytest.raises(ValueError, match=r"rows=\[-1\]: expected integers in \[0, 2\]"):
        operator.indices("0.weight", rows=[-1])
    with pytest.raises(TypeError, match="size: only for a function"):
        hessian(nn.Linear(4, 3), nn.MSELoss(), (torch.randn(5, 4), torch.randn(5, 3)), size=3)
    with pytest.raises(ValueError, match="size=7: expected 6"):
        hessian(np.eye(6), size=7)


def test_the_theory_of_a_bare_layer():
    from rmtsim.papers.wu.hessian import beside

    operator = hessian(nn.Linear(3, 2), nn.MSELoss(), (torch.randn(40, 3), torch.randn(40, 2)))
    assert "the model (2 × 3): overlap" in beside(operator)
