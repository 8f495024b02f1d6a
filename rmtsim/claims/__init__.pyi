from rmtsim.claims._declare import claim as claim, correction as correction
from rmtsim.claims._files import load_file as load_file, resolve as resolve
from rmtsim.claims._model import Claim as Claim, Parameter as Parameter, Tolerance as Tolerance
from rmtsim.claims._papers import Paper as Paper
from rmtsim.claims._registry import all_claims as all_claims, find as find, predict as predict
