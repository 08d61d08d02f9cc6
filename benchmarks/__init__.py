"""Side-by-side measurements. `python -m benchmarks.NAME [--json] [--quick] [--save]`; in CPU seconds, ratios first."""
