"""The desk: the compliance team's pages over the published warehouse and the archive.

app.py puts it together, routes.py lists the rooms, rooms/ has a module per page. What a page shows
comes from one catalogue (books.py), so that no page is half old and half new.
"""
