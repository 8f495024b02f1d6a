from rmtsim.networks._activations import Activation as Activation, activation as activation
from rmtsim.networks._architecture import Architecture as Architecture, fully_connected as fully_connected
from rmtsim.networks._layers import Layer as Layer, convolution as convolution, dense as dense
from rmtsim.networks._losses import Loss as Loss, loss as loss
from rmtsim.networks._network import Network as Network
from rmtsim.networks._own import network_from_arrays as network_from_arrays
from rmtsim.networks._spectrum import (
    hessian_extremes as hessian_extremes,
    hessian_spectrum as hessian_spectrum,
)
from rmtsim.networks._torch_import import from_torch as from_torch
