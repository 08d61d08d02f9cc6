"""Commands with what they printed and wrote, kept so that nothing changes unnoticed."""
