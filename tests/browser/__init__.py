"""The page and the reports in a real browser: Chromium of the distribution, driven by Playwright."""
