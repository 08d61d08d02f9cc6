"""What answers show in Python and in notebooks: one line, a table, JSON, a frame, a picture; errors in Python's words.

They are said by the documents and payloads of `render/`, in the words of the commands; nothing here computes, but for
what a command adds to its answer.
"""
