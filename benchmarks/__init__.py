"""Side-by-side measurements. `python -m benchmarks.NAME [--json] [--quick] [--save]`; CPU seconds, ratios first."""
