"""The page of one round: a drawn table that can be stepped through, the lines and the findings.

One file that asks for nothing outside itself. The drawing is made here, in Python, for all steps at
once: each piece of it carries the steps in which it is there, and the script only shows and hides.
So the page reads without a script and on paper, and what it draws can be tested without a browser.
"""
