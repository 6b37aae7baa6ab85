"""Pages of this room: a policy's models, a run before and while it goes, what was asked."""
