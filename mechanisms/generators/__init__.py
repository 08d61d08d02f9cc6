"""Generators: small networks whose softmax outputs are fitted to a log, and an adapter to other people's generators."""
