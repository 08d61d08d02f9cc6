"""The calculator as files: Python compiled for the browser, the page around it, and a single file with everything."""
