"""Tables that live in a folder of files or in an engine: counted there, or streamed from there."""
