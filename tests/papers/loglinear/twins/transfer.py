"""Twins of the statements of Section 3.5 about instances: the worst of 64 random ones, and the worst of a search."""

from types import SimpleNamespace

import numpy as np

from tests.papers.twinning import twin

BATCH = 100
"""Values per call."""
RANDOM = [(2, {}), (5, {})]
SEARCHED = [(1, {}), (3, {})]
ROUNDING = {
    # Quotients of differences down to 10⁻⁶ between numbers with logarithms down to -10, mostly exactly 1.
    "loglinear.lemma3.5.12": 1e-8,
    "loglinear.lemma3.5.12.adversarial": 1e-8,
}


def relu(u):
    return np.maximum(u, 0)


def log_softmax(logits):
    top = logits.max(axis=-1, keepdims=True)
    return logits - top - np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))


def point(x, k, share, equal):
    """Instances of the points in the last axis of x."""
    x = np.clip(x, -30, 30)
    a, z_star, z, slack, r = np.split(x, [k, 2 * k, 3 * k, 4 * k], axis=-1)
    a = a / np.abs(a).max(axis=-1, keepdims=True)
    a = np.where((a * relu(z_star)).sum(axis=-1, keepdims=True) < 0, -a, a)
    f_star, f = (a * relu(z_star)).sum(axis=-1), (a * relu(z)).sum(axis=-1)
    margin = f_star / k
    miss = share * margin / (1 + np.exp(-r[..., 0]))
    b = (miss - np.log(4 * k))[..., None] + relu(np.exp(np.minimum(slack, 1.5)) - 1)
    bulk = log_softmax(r[..., 5:8])
    bulk_student = bulk if equal else log_softmax(r[..., 8:11])
    logits_star = [z_star + b + (miss * np.tanh(r[..., 1]))[..., None], bulk, r[..., 3:4]]
    logits = [z + b + (miss * np.tanh(r[..., 2]))[..., None], bulk_student, r[..., 4:5]]
    log_star, log = (log_softmax(np.concatenate(each, axis=-1)) for each in (logits_star, logits))
    p_star, p = np.exp(log_star), np.exp(log)
    pb, pb_student = (each[..., k : k + 3].sum(axis=-1) for each in (p_star, p))
    return SimpleNamespace(
        k=k,
        a=a,
        z_star=z_star,
        z=z,
        gamma=f_star,
        margin=margin,
        miss=miss,
        b=b,
        words_star=p_star[..., :k],
        words=p[..., :k],
        pb=pb,
        pb_student=pb_student,
        ep=np.abs(np.log(pb) - np.log(pb_student)),
        l1=np.abs(p_star - p).sum(axis=-1),
        kl=(p_star * (log_star - log)).sum(axis=-1),
        allowed=(f * f_star <= 0) & (margin > 1e-4) & (pb > 1e-4),
    )


def evaluate(x, k, share, equal, quotient):
    """Quotients of the points, -∞ where an instance does not qualify."""
    with np.errstate(all="ignore"):
        instance = point(x, k, share, equal)
        q = quotient(instance)
    return np.where(instance.allowed & np.isfinite(q), q, -np.inf)


def random_worst(k, rng, quotient):
    best = np.full(BATCH, -np.inf)
    while np.any(none := np.isneginf(best)):
        x = 1.5 * rng.normal(size=(none.sum(), 64, 4 * k + 11))
        best[none] = evaluate(x, k, 0.25, False, quotient).max(axis=1)
    return best


def run_search(k, rng, quotient, share, count):
    """Largest quotients that `count` independent searches find."""
    x = 1.5 * rng.normal(size=(count, 24, 4 * k + 11))
    q = evaluate(x, k, share, True, quotient)
    each = np.arange(count)[:, None]
    for _ in range(30):
        best = x[each, q.argmax(axis=1)[:, None]]
        u = rng.uniform(size=(count, 24, 1))
        one, two = (x[each, rng.integers(24, size=(count, 24))] for _ in range(2))
        trial = x + u * (best - x) + 0.7 * (one - two) + 0.01 * rng.normal(size=x.shape)
        trial = np.where(rng.uniform(size=x.shape) < 0.8, trial, x)
        found = evaluate(trial, k, share, True, quotient)
        better = found > q
        x, q = np.where(better[..., None], trial, x), np.where(better, found, q)
    return q.max(axis=1)


def search(k, rng, quotient, share=0.25):
    best = np.full(BATCH, -np.inf)
    while np.any(none := np.isneginf(best)):
        best[none] = run_search(k, rng, quotient, share, none.sum())
    return best


def registered(random=(), searched=(), searched_at=SEARCHED):
    """Register a quotient of instances: ids whose value is the worst of random instances, and of a search."""

    def register(quotient):
        for names, at, way in ((random, RANDOM, random_worst), (searched, searched_at, search)):
            names = {names: {}} if isinstance(names, str) else dict(names)
            for name, fixed in names.items():

                def measure(size, rng, way=way, fixed=fixed):
                    return way(size, rng, lambda instance: quotient(instance, **fixed))

                replicates = 2000 if way is random_worst else 200
                twin(name, at, replicates=replicates, accuracy=ROUNDING.get(name, 0.0))(measure)
        return quotient

    return register


def one_side(instance, rising):
    """Weights, Δ, the set S and whether the side counts; falling side or rising side."""
    i = instance
    w, high, low = (relu(-i.a), i.z, i.z_star) if rising else (relu(i.a), i.z_star, i.z)
    delta = high - relu(low)
    counts = (w * (relu(high) - relu(low))).sum(axis=-1) >= i.gamma / 2
    return SimpleNamespace(w=w, delta=delta, inside=(w > 0) & (delta > 0), counts=counts)


def sides(instance, quotient):
    """The larger quotient of the sides that count."""
    found = []
    for rising in (False, True):
        side = one_side(instance, rising)
        found.append(np.where(side.counts, quotient(instance, side), -np.inf))
    return np.maximum(*found)


def largest(values, where):
    return np.max(values, axis=-1, where=where, initial=-np.inf)


def total(values, where):
    return np.sum(values, axis=-1, where=where)


def lemma(i, half=2):
    """m(K, Λ): in t = e^{-ε} the function is 1 - (1 + K)t + Ke^Λt² for ε ≤ Λ, and it increases beyond."""
    k = i.k * np.exp(i.b.min(axis=-1) - i.miss)
    margin = relu(i.margin / half - 2 * i.miss)
    t = np.clip((1 + k) / (2 * k * np.exp(margin)), np.exp(-margin), 1)
    return 1 - (1 + k) * t + k * np.exp(margin) * t**2


@registered(
    {"loglinear.lemma3.5.9": {"factor": 2}},
    {
        "loglinear.lemma3.5.9.adversarial": {"factor": 2},
        "loglinear.eq3.12.l1": {"factor": 1},
        "loglinear.eq3.12.margin": {"factor": 1, "half": 1},
    },
)
def distance(i, factor, half=2):
    return factor * i.pb * lemma(i, half) / i.l1


@registered("loglinear.eq3.22", {"loglinear.eq3.22.adversarial": {}, "loglinear.eq3.19/corrected": {}})
def floor(i):
    k = i.k * np.exp(i.b.min(axis=-1) - i.miss)
    third = relu(i.margin / 2 - 2 * i.miss) / 3
    return 2 * (i.pb * np.minimum(1 - np.exp(-third), 2 * k * np.sinh(third))) ** 2 / i.kl


@registered({"loglinear.eq3.14": {"half": 1}, "loglinear.eq3.14/corrected": {"half": 2}})
def pinsker(i, half):
    return 2 * (i.l1 / half) ** 2 / i.kl


@registered("loglinear.lemma3.5.10")
def empty(i):
    return sides(i, lambda i, side: np.where(side.inside.any(axis=-1), 0.0, 1.0))


@registered(
    {
        "loglinear.lemma3.5.10.step": {"corrected": False},
        "loglinear.lemma3.5.10.step/corrected": {"corrected": True},
    }
)
def step(i, corrected):
    side = one_side(i, False)
    taken = relu(side.delta) if corrected else side.delta
    return largest(relu(i.z_star) - relu(i.z) - taken, (i.a > 0) & ~side.inside)


@registered(
    {
        "loglinear.lemma3.5.11": {},
        "loglinear.sec3.5.5.obstacles": {"weighted": False},
        "loglinear.sec3.5.5.obstacles/corrected": {},
    },
    "loglinear.lemma3.5.11.adversarial",
    [(2, {}), (3, {})],  # one word alone has the quotient ½
)
def sum_of_gaps(i, weighted=True):
    def quotient(i, side):
        factor = 2 * largest(side.w, side.inside) if weighted else 1
        return i.gamma / (factor * total(side.delta, side.inside))

    return sides(i, quotient)


@registered("loglinear.lemma3.5.12", "loglinear.lemma3.5.12.adversarial")
def bulk(i):
    return np.where(i.ep > 1e-6, i.pb * (1 - np.exp(-i.ep)) / np.abs(i.pb - i.pb_student), -np.inf)


def word_bounds(i, side):
    shift, double = (i.miss + i.ep)[..., None], (2 * i.miss + i.ep)[..., None]
    return i.pb[..., None] * np.exp(i.b - shift) * (np.exp(relu(side.delta - double)) - 1)


@registered("loglinear.lemma3.5.13", "loglinear.lemma3.5.13.adversarial")
def per_word(i):
    def quotient(i, side):
        stated = word_bounds(i, side)
        return relu(largest(stated / np.abs(i.words_star - i.words), side.inside & (stated > 1e-9)))

    return sides(i, quotient)


@registered(
    {
        "loglinear.eq3.31": {"share": 1},
        "loglinear.eq3.37": {"share": 0.5},
        "loglinear.eq3.37/corrected": {"share": 1},
    }
)
def parts(i, share):
    def quotient(i, side):
        found = np.abs(i.pb - i.pb_student) + total(np.abs(i.words_star - i.words), side.inside)
        return found / (share * i.l1)

    return sides(i, quotient)


@registered("loglinear.eq3.44", "loglinear.eq3.44.adversarial")
def all_words(i):
    bulk_part = i.pb * (1 - np.exp(-i.ep))

    def quotient(i, side):
        least = -largest(-i.b, side.inside)
        gap = relu(i.gamma / (2 * i.k * largest(side.w, side.inside)) - 2 * i.miss - i.ep)
        top = i.pb * i.k * np.exp(least - i.miss - i.ep) * (np.exp(gap) - 1)
        stated = total(word_bounds(i, side), side.inside)
        return np.where(np.maximum(top, stated) > 1e-9, (bulk_part + top) / (bulk_part + stated), -np.inf)

    return sides(i, quotient)


@registered(
    {"loglinear.eq3.34.words": {"corrected": False}, "loglinear.eq3.34.words/corrected": {"corrected": True}}
)
def exponentials(i, corrected):
    side = one_side(i, False)
    factor = np.exp(relu(i.z) if corrected else i.z)
    q = factor * (np.exp(side.delta) - 1) / (np.exp(i.z_star) - np.exp(i.z))
    return largest(q if corrected else np.abs(q - 1), side.inside & (side.delta > 1e-4))


@registered({"loglinear.eqB.48": {"corrected": False}, "loglinear.eqB.48/corrected": {"corrected": True}})
def replaced(i, corrected):
    side = one_side(i, False)
    r = i.words * np.exp(-i.z)
    change = np.abs(i.words_star - r) - np.abs(i.words_star - i.words)
    where = side.inside & (i.z < 0) & (side.delta > (2 * i.miss + i.ep)[..., None])
    return largest((change if corrected else np.abs(change)) / i.words_star, where)


def main_bound(i, constant, limit):
    return np.where(i.margin < limit, (i.pb * i.margin) ** 2 / (constant * i.kl), -np.inf)


@twin("loglinear.remark3.5.8", SEARCHED, replicates=200)
def remark(size, rng):
    return search(size, rng, lambda i: main_bound(i, 288, 3))


@twin("loglinear.thm3.5.7.constant", SEARCHED, replicates=200)
def main_constant(size, rng):
    return search(size, rng, lambda i: main_bound(i, 172, 6), share=0.125)


@twin("loglinear.thm3.5.7", SEARCHED, replicates=200)
def main_theorem(size, rng):
    worst = search(size, rng, lambda i: main_bound(i, 288, 6), share=0.125)
    one, two = rng.uniform(size=(2, BATCH))
    mu = np.minimum(one / two, (1 - one) / (1 - two))
    return worst * mu * two / one
