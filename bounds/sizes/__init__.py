"""The engine for n, m and k: a question, the routes to an answer, the best one, solving backwards."""
