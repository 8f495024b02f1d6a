"""Companions of known mean: exactly zero mean, less noise."""

import numpy as np

from rmtsim.papers.wu.simulation.known_averages import Quieter, deviations
from rmtsim.papers.wu.simulation.two_layer import draw_instance, draw_instances
from rmtsim.papers.wu.statements.networks import slopes


def test_deviations_have_mean_zero_at_a_small_width():
    """Exact at every width, so tested where any 1/n term would show: five units, 4000 networks, four errors."""
    rng = np.random.default_rng(0)
    values = np.array([deviations(draw_instance(5, 0.5, 3, 6, rng)) for _ in range(4000)])
    assert (np.abs(values.mean(axis=0)) < 4 * values.std(axis=0) / np.sqrt(4000)).all()


def test_companions_keep_the_mean_and_take_the_noise():
    rng = np.random.default_rng(1)
    instances = [instance for _ in range(30) for instance in draw_instances(128, 0.3, 3, 64, 4, rng)]

    def statistic(instance):
        return instance.corrected(instance.independent_space, (instance.rows, instance.rows))

    quieter = Quieter(statistic, (*slopes(lambda p, e, g: p**2 / (e * g)), 0.0))
    plain, quiet = (
        np.array([measure(instance) for instance in instances]) for measure in (statistic, quieter)
    )
    assert quiet.std() < plain.std() / 4
    difference = plain - quiet
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(instances))
