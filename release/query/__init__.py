"""Common to all queries paid for by the reservation of a release: budget, recording of the payment, file."""
