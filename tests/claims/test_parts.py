"""Declarations made of parts: families, forms, names as values, options given twice."""

import numpy as np
import pytest

from rmtsim.claims import (
    Bound,
    Choice,
    Computed,
    Corrected,
    Erratum,
    Grid,
    Identity,
    Limit,
    Option,
    Parameter,
    Place,
    Plan,
    Rate,
    Relative,
    Simulated,
    claim,
)
from rmtsim.runs._work import BatchKey, run_batch

PLAN = Plan(sizes=(10, 20, 40), exponents=(1,), because="no correction", cost=1e-5)


def mean(size, rng):
    return rng.standard_normal(size).mean()


def test_parts_and_the_short_form_declare_the_same():
    parts = claim(
        "demo.mean",
        mean,
        at=Place("eq. (1)", qualifier="≈", note="a note"),
        standing="lemma",
        printed="The mean tends to 0.",
        states=Limit(0.0, within=0.1),
        plan=PLAN,
        erratum=Erratum(cause="none"),
    )
    short = claim(
        "demo.mean",
        mean,
        source="eq. (1)",
        statement="The mean tends to 0.",
        limit=0.0,
        tolerance=0.1,
        sizes=(10, 20, 40),
        exponents=(1,),
        because="no correction",
        cost=1e-5,
    )
    for field in ("kind", "tolerance", "sizes", "exponents", "because", "equation", "statement"):
        assert getattr(parts, field) == getattr(short, field)
    assert (parts.qualifier, parts.note, parts.standing, parts.cause) == ("≈", "a note", "lemma", "none")


def test_a_choice_in_the_id_declares_a_family():
    ratio = Parameter("ratio", "n/d", 1.0)
    sources = {
        "normal": Option(
            np.random.Generator.standard_normal, "Gaussian entries", over=(ratio,), points=({"ratio": 2},)
        ),
        "uniform": np.random.Generator.random,
    }

    def drawn_mean(size, rng, source, **rest):
        return float(source(rng, size).mean())

    family = claim(
        "demo.{source}.mean",
        drawn_mean,
        at="eq. ({source})",
        printed="The mean tends to a number; {source}, with λ_{N+1}.",
        states=Limit(lambda source: 0.5 if source is np.random.Generator.random else 0.0, within=0.1),
        over=[Choice("source", sources)],
        plan=PLAN,
    )
    assert [member.id for member in family] == ["demo.normal.mean", "demo.uniform.mean"]
    assert family[0].statement == "The mean tends to a number; Gaussian entries, with λ_{N+1}."
    assert [each.name for each in family[0].parameters] == ["ratio"]
    assert family[0].point({}) == {"ratio": 1.0}
    assert list(family[0].grid) == [{"ratio": 2}]
    assert not family[1].parameters
    assert [member.prediction({}) for member in family] == [0.0, 0.5]
    rng = np.random.default_rng(0)
    assert family[1].sample({}, 40, rng, 64).mean() == pytest.approx(0.5, abs=0.05)


def test_an_option_brings_parts_of_its_own():
    def largest(size, rng):
        return rng.standard_normal(size).max()

    family = claim(
        "demo.{what}",
        at="eq. ({number})",
        printed="{what} tends to {where}.",
        corrected=Corrected("{what} grows.", plan=PLAN.but(sizes=(4, 8))),
        states=Limit(0.0, within=0.1),
        over=[
            Choice(
                "what",
                {
                    "mean": Option(label="The mean", words={"number": "1", "where": "0"}, measured=mean),
                    "largest": Option(
                        words={"number": "2", "where": "λ_{N}"},
                        measured=largest,
                        states=Rate(1.0, "O", within=0.2),
                        plan=PLAN.but(sizes=(3, 6, 9)),
                        evidence=Simulated(revision=2),
                        erratum=Erratum(cause="a slip"),
                    ),
                    "own": Option(measured=mean, corrected=Corrected("It tends to 1.")),
                },
            )
        ],
        plan=PLAN,
    )
    first, second, third = family
    assert (first.equation, first.statement) == ("eq. (1)", "The mean tends to 0.")
    assert (second.equation, second.statement) == ("eq. (2)", "largest tends to λ_{N}.")
    assert (first.kind, first.sizes, first.revision) == ("limit", PLAN.sizes, 1)
    assert (second.kind, second.relation, second.sizes, second.revision) == ("rate", "O", (3, 6, 9), 2)
    # What the corrected form says takes precedence over the option, which takes precedence over the declaration.
    right = second.correction
    assert (right.kind, right.sizes, right.statement) == ("rate", (4, 8), "largest grows.")
    assert (first.cause, second.cause, right.cause) == ("", "a slip", "a slip")
    assert (third.correction.statement, third.correction.sizes) == ("It tends to 1.", PLAN.sizes)
    assert (
        second.sample({}, 3, np.random.default_rng(1), 1) == np.random.default_rng(1).standard_normal(3).max()
    )


def test_a_grid_has_parameters_and_points():
    ratio = Parameter("ratio", "n/d", 1.0)
    grid = Grid((ratio,), points=({"ratio": 2.0},))

    def shifted(size, rng, ratio):
        return ratio + rng.standard_normal(size).mean()

    def declared(**options):
        return claim("demo.grid", shifted, states=Limit(0.0, within=0.1), plan=PLAN, **options)

    printed = declared(over=grid, corrected=Corrected("right", over=Grid((ratio,), points=({"ratio": 3.0},))))
    assert (printed.parameters, printed.grid) == ((ratio,), ({"ratio": 2.0},))
    assert printed.correction.grid == ({"ratio": 3.0},)
    assert declared(over=grid, points=({},)).grid == ({},)


def test_a_choice_in_the_id_must_be_declared():
    with pytest.raises(ValueError, match="expected a Choice named 'source'"):
        claim("demo.{source}", mean, states=Limit(0.0, within=0.1), plan=PLAN)


def test_one_function_serves_both_forms():
    def scaled(size, rng, form):
        return (size if form == "printed" else 1) * abs(rng.standard_normal(size).mean())

    printed = claim(
        "demo.forms",
        scaled,
        printed="wrong",
        corrected=Corrected(
            "right", states=Limit(lambda form: float(form == "corrected"), within=Relative(0.1))
        ),
        states=Rate(0.5, "O", within=0.1),
        plan=PLAN,
    )
    right = printed.correction
    assert (right.id, right.form, right.statement, right.kind) == (
        "demo.forms/corrected",
        "corrected",
        "right",
        "limit",
    )
    assert right.relation == "power"  # the relation of the printed rate is not that of a limit
    assert right.prediction({}) == 1.0
    one, two = (each.sample({}, 16, np.random.default_rng(1), 3) for each in (printed, right))
    assert np.allclose(one, 16 * two)


def test_names_as_values():
    functions = {"tanh": np.tanh, "sine": np.sin}
    declared = claim(
        "demo.names",
        lambda size, rng, activation: float(activation(rng.standard_normal(size)).mean()),
        states=Limit(lambda activation: float(activation(0.0)), within=0.1),
        over=[Choice("activation", functions, codes=(0, 1))],
        points=[{"activation": "sine"}],
        plan=PLAN,
    )
    assert declared.point({}) == {"activation": "tanh"}
    assert declared.prediction({"activation": "sine"}) == 0.0
    with pytest.raises(ValueError, match="activation='relu': expected one of tanh, sine"):
        declared.point({"activation": "relu"})
    choice = declared.parameters[0]
    assert (choice.parse("sine"), choice.parse("1")) == ("sine", "sine")
    # The code, not the name, enters the stream.
    key = BatchKey(declared, (("activation", "sine"),), 10, 0, 4, 7)
    from rmtsim._internal.randomness import stream

    rng = stream(7, "demo.names", {"activation": 1}, 10, 0)
    expected = [np.sin(rng.standard_normal(10)).mean() for _ in range(4)]
    assert run_batch(key).tolist() == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"plan": PLAN, "sizes": (1, 2)}, "sizes is given twice, by Plan and by the short form"),
        ({"plan": PLAN, "limits": 3}, "unexpected option 'limits'"),
        ({"plan": PLAN, "corrected": []}, "expected text, Corrected"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(TypeError, match=message):
        claim("demo.refused", mean, states=Limit(0.0, within=0.1), **options)


def test_a_missing_tolerance_is_named():
    with pytest.raises(TypeError, match=r"demo\.open: tolerance is missing"):
        claim("demo.open", mean, limit=0.0, sizes=(10, 20))


def test_parts_differ_in_what_is_named():
    assert PLAN.but(sizes=(3, 4)).because == PLAN.because
    assert Bound(1.0).but(sense=">=").sense == ">="
    with pytest.raises(TypeError, match=r"Plan\.but\(size=\.\.\.\): expected one of sizes"):
        PLAN.but(size=3)


def test_computed_quantities_declare_their_accuracy():
    with pytest.raises(TypeError, match=r"declare evidence=Computed\(\.\.\.\), in the short form accuracy="):
        claim("demo.computed", lambda size: 1 / size, states=Identity(), plan=PLAN)
    exact = claim(
        "demo.computed",
        lambda size: 1 / size,
        states=Limit(0.0, within=0.1),
        plan=PLAN,
        evidence=Computed(1e-12),
    )
    assert exact.evidence == "computed"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"states": 3}, r"demo\.wrong: states=3: expected Limit\(\.\.\.\), Rate"),
        ({"states": Limit}, r"states=Limit: expected Limit\(\.\.\.\)"),
        ({"plan": {"sizes": (1, 2)}}, r"plan=.*: expected Plan\(\.\.\.\)"),
        ({"evidence": 0.1}, r"evidence=0\.1: expected Simulated\(\.\.\.\), Computed"),
        ({"erratum": "x"}, r"erratum='x': expected Erratum"),
    ],
)
def test_a_part_of_the_wrong_type_is_named(options, message):
    with pytest.raises(TypeError, match=message):
        claim("demo.wrong", mean, **({"states": Limit(0.0, within=0.1), "plan": PLAN} | options))


def test_parts_inside_parts_are_checked():
    with pytest.raises(TypeError, match="states=3: expected Limit"):
        Corrected("right", states=3)
    with pytest.raises(TypeError, match="words='x': expected a mapping"):
        Option(1.0, words="x")


@pytest.mark.parametrize("name", ["--help", "a/corrected", "a.{q", "a b", ""])
def test_ids_that_the_command_line_could_not_name_are_refused(name):
    with pytest.raises(ValueError, match="name="):
        claim(name, mean, states=Limit(0.0, within=0.1), plan=PLAN)


def test_members_of_a_family_have_different_ids():
    choices = [Choice("e", ("a", "ab")), Choice("g", ("bc", "c"))]
    with pytest.raises(ValueError, match=r"two members of the family are named 'demo\.abc'"):
        claim("demo.{e}{g}", mean, states=Limit(0.0, within=0.1), plan=PLAN, over=choices)


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ([Parameter("x", "m", 1.0), Parameter("x", "m", 1.0)], "declared twice"),
        (
            [Choice("x", {"a": Option(1.0)})],
            r"belong to a choice in the id \(for instance demo\.refused\.\{x\}\)",
        ),
    ],
)
def test_parameters_that_are_refused(over, message):
    with pytest.raises((TypeError, ValueError), match=message):
        claim("demo.refused", mean, states=Limit(0.0, within=0.1), plan=PLAN, over=over)


@pytest.mark.parametrize(
    "options", [{"options": ("a", "a")}, {"options": ("",)}, {"options": ("a", "b"), "codes": (1, 1)}]
)
def test_choices_that_are_refused(options):
    with pytest.raises(ValueError, match="expected"):
        Choice("x", **options)


def test_codes_are_accepted_as_values():
    assert Choice("x", ("a", "b"), codes=(3, 5)).check(5) == "b"


@pytest.mark.parametrize(
    "parameter",
    [
        Parameter("x", "m", 1.0, lowest=0.1, highest=3.0),
        Parameter("x", "m", 2, integer=True, lowest=1, highest=3),
        Parameter("x", "m", 50.0, lowest=40.0),
        Parameter("x", "m", -1.0, lowest=-2.0, highest=-0.5),
        Parameter("x", "m", 20.0, lowest=10.0, open_below=True),
    ],
)
def test_drawn_values_lie_in_the_domain(parameter):
    rng = np.random.default_rng(0)
    for _ in range(200):
        parameter.check(parameter.draw(rng))


@pytest.mark.parametrize(
    ("short", "message"),
    [
        ({"relation": "O"}, "belongs to a rate"),
        ({"cost": 0.0}, "expected nominal seconds > 0"),
        ({"revision": "2"}, "revision"),
    ],
)
def test_short_options_that_do_not_fit(short, message):
    with pytest.raises((TypeError, ValueError), match=message):
        claim("demo.short", mean, limit=0.0, tolerance=0.1, sizes=(10, 20), **short)


def test_a_correction_may_be_the_right_value_alone():
    declared = claim(
        "x.value",
        lambda size, rng: 1.0,
        printed="Tends to 2.",
        states=Limit(2.0, within=0.1),
        corrected=Corrected("Tends to 1.", states=Limit(1.0, within=0.1)),
        plan=PLAN,
    )
    with pytest.raises(TypeError, match="has no statement"):
        claim("x.value", lambda size, rng: 1.0, states=Limit(2.0, within=0.1), corrected=1.0, plan=PLAN)
    assert declared.correction.prediction({}) == 1.0
    for states, wrong in ((Rate(1.0), 2.0), (Limit(2.0, within=0.1), [1.0])):
        with pytest.raises(TypeError, match=r"x\.value: corrected=.*expected text, Corrected"):
            claim("x.value", lambda size, rng: 1.0, states=states, corrected=wrong, plan=PLAN)


def test_a_grid_may_bring_plan_and_evidence():
    grid = Grid([], plan=PLAN, evidence=Computed(1e-9))
    own = claim("x.grid", lambda size: 1.0, states=Limit(1.0, within=0.1), over=grid)
    assert (own.sizes, own.accuracy, own.grid) == (PLAN.sizes, 1e-9, ({},))
    other = claim(
        "x.other", lambda size: 1.0, states=Limit(1.0, within=0.1), over=grid, plan=PLAN.but(sizes=(3, 9))
    )
    assert other.sizes == (3, 9)
    with pytest.raises(TypeError, match="plan=3"):
        Grid([], plan=3)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"states": Rate(100.0)}, "exponent=100: expected"),
        ({"states": Limit(1.0, within=-1.0)}, "within=-1"),
        ({"states": Limit(1.0, within=0.1), "over": ["a"]}, "over='a': expected Parameter"),
        ({"limit": 1.0, "tolerance": -1.0}, "tolerance=-1"),
        ({"rate": 100.0, "tolerance": 0.1}, "rate=100: expected"),
    ],
)
def test_errors_name_options_as_the_declaration_writes_them(options, match):
    with pytest.raises((TypeError, ValueError), match=match):
        claim("x.named", lambda size, rng: 1.0, plan=PLAN, **options)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"at": 3}, "^at=3: expected text"),
        ({"printed": 3}, "^printed=3: expected text"),
        ({"over": [1]}, "over=1: expected Parameter"),
        ({"points": [3]}, r"points=\(3,\): expected points"),
        ({"states": Limit(1.0, within=-1)}, "^within=-1"),
        ({"states": Rate(100, within=0.1)}, "^exponent=100"),
    ],
)
def test_errors_name_an_option_as_it_was_declared(declared, message):
    parts = {"states": Limit(1.0, within=0.1), "plan": Plan(sizes=(10, 20))} | declared
    with pytest.raises((TypeError, ValueError), match=message):
        claim("a.b", lambda size, rng: 1.0, **parts)
