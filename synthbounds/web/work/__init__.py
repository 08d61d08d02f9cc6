"""The guided way from a table to a release: uploads, jobs that run commands, tickets for what spends.

Nothing here computes or draws noise: everything is done by the commands of `synthbounds` in processes of their own,
with the arguments that are shown. What is private is in the private folder and goes with the server; what was
released is in the folder of releases and stays.
"""
