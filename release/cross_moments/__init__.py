"""The kind of release from which a synthetic table is made: one-way tables and cross moments."""
