"""What all pages share, made by the night, by `show` or by the desk: templates, words, plots."""
