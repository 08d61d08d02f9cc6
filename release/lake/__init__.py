"""Tables that live in a folder of files or in an engine: what is counted there, and what is streamed from there."""
