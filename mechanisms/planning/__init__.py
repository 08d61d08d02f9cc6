"""How accurate a release will be, from a schema and the number of records alone, by method and over epsilon."""
