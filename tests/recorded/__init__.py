"""Commands with what they said and wrote, kept so that nothing changes unseen."""
