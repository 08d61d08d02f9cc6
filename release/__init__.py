"""From records to private numbers: the only package that opens tables and draws noise."""
