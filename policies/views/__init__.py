"""Pages that need no more than this room: signing in, the list, people, adding a document."""
