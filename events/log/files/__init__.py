"""The log in files: the embedded default. A writer, any number of readers, damage by its name."""
