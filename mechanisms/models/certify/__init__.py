"""From a release and a model to a certificate."""
