"""Evidence of more values than memory should hold, to the last bit that of all at once."""

import numpy as np

from rmtsim.verdicts._evidence import moments, spilled
from rmtsim.verdicts._evidence.moments import Moments
from rmtsim.verdicts._evidence.sequences import bernstein_interval
from rmtsim.verdicts._evidence.spilled import Spilled


def test_values_come_back_in_order_from_memory_and_disk(monkeypatch):
    monkeypatch.setattr(spilled, "_IN_MEMORY", 100)
    monkeypatch.setattr(spilled, "_CHUNK", 7)
    rng = np.random.default_rng(0)
    parts = [rng.random(length) for length in (1, 30, 0, 90, 250, 3)]
    kept = Spilled()
    for part in parts:
        kept.append(part)
        assert kept._waiting <= 100
    for _ in range(2):  # reading changes nothing
        chunks = list(kept.chunks())
        assert max(map(len, chunks)) <= 7
        assert np.concatenate(chunks).tobytes() == np.concatenate(parts).tobytes()
    kept.append(parts[1])
    assert np.concatenate(list(kept.chunks())).tobytes() == np.concatenate([*parts, parts[1]]).tobytes()


def test_chunks_do_not_change_a_bit_of_an_interval():
    values = np.random.default_rng(1).beta(2, 5, 5000)
    whole = bernstein_interval(values, 0.01, -1.0, 2.0)
    for length in (1, 17, 4999, 5000):
        chunks = [values[start : start + length] for start in range(0, 5000, length)]
        assert bernstein_interval(iter(chunks), 0.01, -1.0, 2.0) == whole
    assert bernstein_interval(iter([]), 0.01, -1.0, 2.0) == (-1.0, 2.0)


def test_moments_of_a_long_batch_are_taken_in_pieces(monkeypatch):
    values = np.random.default_rng(2).standard_normal(1000)
    whole = Moments().updated(values)
    monkeypatch.setattr(moments, "_AT_ONCE", 64)
    pieces = Moments().updated(values)
    assert pieces.count == whole.count
    for name in ("mean", "second", "third"):
        np.testing.assert_allclose(getattr(pieces, name), getattr(whole, name), rtol=1e-11)
