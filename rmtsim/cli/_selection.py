"""Which claims a command is about: names, patterns, files, papers, words, and the quick sets."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Callable
from typing import get_args

from rmtsim.claims._model import Claim, Kind, Standing
from rmtsim.claims._papers import PAPERS


def add_selection(parser: argparse.ArgumentParser, *, targets: str) -> None:
    """Names or patterns, ``--paper``, ``-k``, ``--kind``, ``--standing``."""
    parser.add_argument(
        "claims",
        nargs="*",
        metavar="CLAIM",
        help="names of claims, beginnings of names (dong.thm1), keys of papers, patterns such as 'dong.*-limit', or "
        f"FILE.py[::NAME] {targets}",
    )
    group = parser.add_argument_group("which claims", "together they narrow the choice")
    group.add_argument(
        "--paper",
        metavar="KEY",
        action="append",
        help=f"only the claims of one paper, repeatable ({', '.join(PAPERS)})",
    )
    group.add_argument(
        "-k",
        "--search",
        metavar="WORD",
        action="append",
        default=[],
        help="only claims with this word in name, statement or place, repeatable (all of them must occur)",
    )
    group.add_argument("--kind", choices=get_args(Kind), help="only statements of this kind")
    group.add_argument(
        "--standing", choices=get_args(Standing), help="only statements of this standing in their paper"
    )


def names_several(target: str) -> bool:
    """Whether a target is a pattern, the key of a paper or the beginning of ids, rather than one claim or a file.

    >>> [names_several(target) for target in ("dong.thm1.*", "dong", "dong.thm1", "dong.eq5")]
    [True, True, True, False]
    """
    from rmtsim.claims._files import is_file_target, resolve

    if _is_pattern(target):
        return True
    return not is_file_target(target) and [claim.id for claim in resolve(target)] != [target]


def _is_pattern(target: str) -> bool:
    return target in PAPERS or any(letter in target for letter in "*?[")


def selected(arguments: argparse.Namespace, *, quick: bool = False) -> list[Claim]:
    """The claims asked for, each once, in the order of the targets, else of the papers.

    With ``quick``, claims that are not named individually come from a quick set: that of all papers where nothing was
    chosen, that of each claim's own paper otherwise.
    """
    from rmtsim.claims._files import is_file_target, resolve

    named: list[Claim] = []
    broad = not arguments.claims
    found: list[Claim] = _of_papers(arguments.paper) if broad else []
    for target in arguments.claims:
        if is_file_target(target):
            path, _, name = target.partition("::")
            matched = _matching(name, resolve(path), target) if _is_pattern(name) else resolve(target)
            named += matched
            found += matched
        elif _is_pattern(target):
            found += _matching(target, _candidates(target), target)
        else:
            matched = resolve(target)
            named += [claim for claim in matched if claim.id == target]
            found += matched
    for name, test in _conditions(arguments, broad):
        kept = [claim for claim in found if test(claim)]
        if found and not kept:
            raise ValueError(f"{name}: none of the {len(found)} claims chosen so far matches")
        found = kept
    if quick:
        narrowed = bool(arguments.claims or arguments.paper or arguments.search)
        exempt = {id(claim) for claim in named}
        kept = [
            claim
            for claim in found
            if id(claim) in exempt or (claim.quick_in_paper if narrowed else claim.quick)
        ]
        if not kept:
            raise ValueError(
                f"--quick: none of the {len(found)} claims chosen is in its paper's quick set; leave it out, and set "
                "--budget SECONDS if it should be short"
            )
        found = kept
    return list({claim.id: claim for claim in found}.values())


def _of_papers(keys: list[str] | None) -> list[Claim]:
    from rmtsim.claims._registry import all_claims

    return [claim for key in keys for claim in all_claims(key)] if keys else all_claims()


def _candidates(pattern: str) -> list[Claim]:
    """Claims that a pattern could mean: of one paper only, where it begins with its key."""
    from rmtsim.claims._registry import all_claims

    key = pattern.partition(".")[0]
    return all_claims(key) if key in PAPERS else all_claims()


def _matching(pattern: str, claims: list[Claim], target: str) -> list[Claim]:
    if pattern in PAPERS:
        return [claim for claim in claims if claim.paper == pattern]
    found = [claim for claim in claims if fnmatch.fnmatchcase(claim.id, pattern)]
    if not found:
        raise ValueError(f"{target}: no claim has a name like this; `rmtsim claims` lists them")
    return found


def _conditions(arguments: argparse.Namespace, broad: bool) -> list[tuple[str, Callable[[Claim], bool]]]:
    """What narrows the choice, as (what was typed, test)."""
    from rmtsim.claims._registry import all_claims

    conditions: list[tuple[str, Callable[[Claim], bool]]] = []
    if arguments.paper and not broad:
        for key in arguments.paper:
            all_claims(key)  # an unknown key is an error of its own
        keys = tuple(arguments.paper)
        conditions.append((f"--paper {' '.join(keys)}", lambda claim: claim.paper in keys))
    for word in arguments.search:
        conditions.append((f"-k {word}", lambda claim, word=word: word.casefold() in _words(claim)))  # type: ignore[misc]
    if arguments.kind:
        conditions.append((f"--kind {arguments.kind}", lambda claim: claim.kind == arguments.kind))
    if arguments.standing:
        conditions.append(
            (f"--standing {arguments.standing}", lambda claim: claim.standing == arguments.standing)
        )
    return conditions


def _words(claim: Claim) -> str:
    texts = (claim.id, claim.statement, claim.source, claim.qualifier, claim.cause, claim.note, claim.credit)
    return "\n".join(texts).casefold()
