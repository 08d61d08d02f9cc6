"""The guided way from a table to a release: uploads, jobs that run commands, tickets for what spends.

Nothing here computes or draws noise: everything is done by the commands of `synthbounds` in processes of their own,
with the arguments that are shown. What is private lies in the private folder and goes with the server; what was
released lies in the folder of releases and stays.
"""
