"""The draws of any command, watched at the places where noise is added to records.

`watched` runs something and records every draw: the noise, its input, and its output. Outputs can be given instead of
drawn, so that the same history can be followed on another table. Nothing else is changed: a release draws exact noise,
a simulation its own. The secret noise of release.perturb is not watched; its distribution is audited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from release import choose as choosing
from release import measure as measuring
from release.noise.draw import draw
from verify.audit.following import Diverged, replacing

if TYPE_CHECKING:
    from release.noise.kinds import Noise
    from release.noise.randomness import Randomness

Output: TypeAlias = tuple[int, ...] | tuple[float, ...]
EXPONENTIAL, NOISY_MAXIMUM = "exponential mechanism", "noisy maximum"


@dataclass(frozen=True)
class Drawn:
    """One draw: the kind of noise, or of choice; its scales, one for each input, or the rate; what came out."""

    kind: str
    scales: tuple[Fraction, ...]
    inputs: tuple[int, ...]
    output: Output

    def is_like(self, other: Drawn) -> bool:
        """Whether only the input and the output differ."""
        return (self.kind, self.scales, len(self.inputs)) == (other.kind, other.scales, len(other.inputs))


def watched(action: Callable[[], object], outputs: Sequence[Output] | None = None) -> tuple[Drawn, ...]:
    """All draws of an action, in order; with these outputs, if given."""
    found: list[Drawn] = []
    shipped: Any = draw, choosing.ChoicePlan.drawn, choosing.ExponentialPlan.drawn

    def came_out(drawing: Callable[[], Output]) -> Output:
        if outputs is None:
            return drawing()
        if len(found) == len(outputs):
            raise Diverged
        return outputs[len(found)]

    def noise_on(noise: Noise, values: Sequence[int], randomness: Randomness) -> Output:
        scales = noise.scales if isinstance(noise.scales, tuple) else (noise.scales,) * noise.count
        output = came_out(lambda: shipped[0](noise, values, randomness))
        found.append(Drawn(noise.kind, scales, tuple(map(int, values)), output))
        return output

    def choice(kind: str, original: Any) -> Callable[[Any, Sequence[int], Randomness], Output]:
        def drawn(plan: Any, qualities: Sequence[int], randomness: Randomness) -> Output:
            output = came_out(lambda: original(plan, qualities, randomness))
            found.append(Drawn(kind, (plan.rate,), tuple(qualities), output))
            return output

        return drawn

    instead: dict[tuple[object, str], object] = {
        (measuring, "draw"): noise_on,
        (choosing.ChoicePlan, "drawn"): choice(NOISY_MAXIMUM, shipped[1]),
        (choosing.ExponentialPlan, "drawn"): choice(EXPONENTIAL, shipped[2]),
    }
    with replacing(instead):
        action()
    return tuple(found)
