"""What every query has that is paid for by the reservation of a release: its budget, its booking, its file."""
