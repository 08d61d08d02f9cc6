"""What answers show in Python and in notebooks: one line, a table, JSON, a frame, a picture; errors in Python's words.

This uses the documents and payloads of `render/`, in the words of the commands; nothing here computes, except for what
a command adds to its answer.
"""
