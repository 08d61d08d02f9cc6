"""The kind of release that a synthetic table is made from: one-way tables and cross moments."""
