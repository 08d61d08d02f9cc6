"""The calculator as files: Python compiled for the browser, the page around it, and one file that holds everything."""
