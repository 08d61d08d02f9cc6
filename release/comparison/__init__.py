"""What all releases have in common that compare a finished table with the real one."""
