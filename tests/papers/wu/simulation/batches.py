"""Networks as the arrays of a batch."""

import numpy as np

from rmtsim.papers.wu.simulation.network_batches import NetworkBatch
from rmtsim.papers.wu.simulation.relu_batches import NetworkResponses


def batch_of(*instances):
    """Instances on the same inputs as one batch."""
    responses = [instance.response for instance in instances]
    return NetworkBatch(
        NetworkResponses(
            responses[0].inputs,
            np.stack([instance.weights for instance in instances]).astype(np.float32),
            np.stack([response.active[-1] for response in responses]).astype(np.float32),
            np.stack([response.hidden[-1] for response in responses]).astype(np.float32),
            np.stack([response.logits for response in responses]),
            np.stack([response.confidence for response in responses]),
        )
    )
