"""The calculator page and the one door to it: questions as JSON text, answers as the commands give them.

The page in a browser and the local server ask only through `engine.respond`. Nothing here computes, and nothing that a
question says can name a file.
"""

MOST_QUESTION = 64 * 1024
"""Characters of a whole question, and its bytes if it is sent to a server."""
