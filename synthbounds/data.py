"""Tables and their public schemas, and synthetic tables: reading as codes, counting, the algorithm, writing back.

>>> import numpy as np
>>> import synthbounds.data as sd
>>> schema = sd.parse_schema('''{"synthbounds_schema": 1, "source": "public", "columns": [
...     {"name": "sex", "levels": ["F", "M"]}, {"name": "age", "range": ["0", "100"], "bins": 10}]}''')
>>> schema.domain.sizes, schema.columns[1].texts[3]
((2, 10), '35')
>>> sd.count_marginals(np.array([[0, 3], [1, 3], [1, 9]]), schema.domain.sizes, 1)[0,].tolist()
[1, 2]
"""

from release.data.counting import count_marginals
from release.data.domain import Domain
from release.data.schema import Schema, parse_schema, read_schema
from release.data.tables import read_batches, read_codes
from release.data.template import Draft, template_from_table
from release.data.writing import formula_labels, write_table
from release.files.outputs import Outputs
from release.lake.address import Address
from release.statistics.custom_family import CustomFamily
from release.statistics.families import build_family
from release.statistics.family_sums import family_sums
from synthbounds import describe_table, draft_schema, synthesize

__all__ = [
    "Address",
    "CustomFamily",
    "Domain",
    "Draft",
    "Outputs",
    "Schema",
    "build_family",
    "count_marginals",
    "describe_table",
    "draft_schema",
    "family_sums",
    "formula_labels",
    "parse_schema",
    "read_batches",
    "read_codes",
    "read_schema",
    "synthesize",
    "template_from_table",
    "write_table",
]
