"""What a release will tell, from a schema and the number of records alone, by method and over epsilon."""
