"""Tables and their public schemas: reading as codes, exact counting, and writing back, whole or not at all.

>>> import numpy as np
>>> import synthbounds.data as sd
>>> schema = sd.parse_schema('''{"synthbounds_schema": 1, "source": "public", "columns": [
...     {"name": "sex", "levels": ["F", "M"]}, {"name": "age", "range": ["0", "100"], "bins": 10}]}''')
>>> schema.domain.sizes, schema.columns[1].texts[3]
((2, 10), '35')
>>> sd.count_marginals(np.array([[0, 3], [1, 3], [1, 9]]), schema.domain.sizes, 1)[0,].tolist()
[1, 2]
"""

from lp.counting import count_marginals, family_sums
from lp.outputs import Outputs
from lp.schema import Schema, parse_schema, read_schema
from lp.tables import read_batches, read_codes
from lp.template import template_from_table
from lp.writing import formula_labels, write_table

__all__ = [
    "Outputs",
    "Schema",
    "count_marginals",
    "family_sums",
    "formula_labels",
    "parse_schema",
    "read_batches",
    "read_codes",
    "read_schema",
    "template_from_table",
    "write_table",
]
