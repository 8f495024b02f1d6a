"""Dictionaries, anchors by the normal equations, curves against masks, and files of a user's own."""

import numpy as np
import pytest

from rmtsim.papers.loglinear.simulation.anchors import (
    KINDS,
    anchor_curve,
    anchor_fit,
    draw_contexts,
    draw_dictionary,
    load_embedding,
    sphere_contexts,
)
from rmtsim.papers.loglinear.simulation.word_model import word_model


def rng():
    return np.random.default_rng(11)


@pytest.mark.parametrize("kind", KINDS)
def test_curve_is_that_of_masks_and_normal_equations(kind):
    atoms = draw_dictionary(kind, 40, 5, rng(), deviation=2.0)
    model = word_model(atoms, draw_contexts(30, 5, rng(), mean=1.0))
    removed = [0, 1, 10, 39]
    found = anchor_curve(model, removed)
    for count, error in zip(removed, found, strict=True):
        values = model.log_partition(model.without_top(count))
        v = model.contexts
        solution = np.linalg.solve(v.T @ v, v.T @ values)
        assert error == pytest.approx(np.mean((v @ solution - values) ** 2), rel=1e-8)


def test_curve_where_the_bulk_underflows_beside_the_top_word():
    model = word_model([[2000.0], [1.0], [0.5]], [[1.0], [2.0], [-1.0]])
    values = model.log_partition(model.without_top(1))
    assert anchor_curve(model, [1])[0] == pytest.approx(anchor_fit(model.contexts, values).error, rel=1e-12)


def test_kinds_are_what_they_say():
    sphere = draw_dictionary("spherical", 50, 8, rng(), deviation=0.5)
    assert np.linalg.norm(sphere, axis=1) == pytest.approx(np.full(50, 0.5 * np.sqrt(8)))
    cone = draw_dictionary("cone", 4000, 8, rng(), rank=3, common=5.0)
    assert np.linalg.matrix_rank(cone) == 3
    assert cone[:, 0].mean() == pytest.approx(5.0, abs=5 / np.sqrt(4000))
    heavy, gaussian = (draw_dictionary(kind, 4000, 2, rng(), freedom=1.0) for kind in ("heavy", "gaussian"))
    assert np.abs(heavy).max() > 50 * np.abs(gaussian).max()
    assert np.linalg.norm(sphere_contexts(3, 4, rng(), length=2.0), axis=1) == pytest.approx(np.full(3, 2.0))


def test_intercept_fits_a_constant_and_no_linear_form_does():
    contexts = sphere_contexts(2000, 4, rng())
    constant = np.full(2000, 3.0)
    assert anchor_fit(contexts, constant, intercept=True).error < 1e-20
    assert anchor_fit(contexts, constant).error == pytest.approx(9.0, rel=0.02)
    assert anchor_fit(contexts, constant).largest >= 3.0


def test_own_embedding_from_a_file(tmp_path):
    path = tmp_path / "mine.npy"
    stored = rng().standard_normal((12, 4)).astype(np.float32)
    np.save(path, stored)
    loaded = load_embedding(path)
    assert loaded.dtype == np.float64
    assert (loaded == stored).all()
    assert anchor_curve(word_model(loaded, draw_contexts(9, 4, rng())), [0, 3]).shape == (2,)


def test_bad_files_are_one_clear_line(tmp_path):
    broken = rng().standard_normal((3, 2))
    broken[1, 0] = np.nan
    np.save(tmp_path / "nan.npy", broken)
    np.save(tmp_path / "flat.npy", np.ones(3))
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "many.npz", a=np.ones((2, 2)))
    (tmp_path / "text.npy").write_text("no array")
    (tmp_path / "empty.npy").write_bytes(b"")
    for name, words in {
        "nan.npy": "nan at index 1, 0", "flat.npy": "embedding", "objects.npy": "expected a .npy matrix",
        "many.npz": "archive", "text.npy": "expected a .npy", "empty.npy": "expected a .npy", "none.npy": "no such",
    }.items():  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=words) as caught:
            load_embedding(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_bad_arguments():
    with pytest.raises(ValueError, match="kind"):
        draw_dictionary("square", 3, 2, rng())
    with pytest.raises(ValueError, match="rank=9"):
        draw_dictionary("cone", 3, 2, rng(), rank=9)
    with pytest.raises(ValueError, match="log_partition has shape"):
        anchor_fit(np.ones((3, 2)), np.ones(4))
    with pytest.raises(ValueError, match="removed=3"):
        anchor_curve(word_model(np.eye(3), np.eye(3)), [3])
