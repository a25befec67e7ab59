"""The progressive meter, and whatever else only several tables together show."""
