"""Wiring only: settings, urls, the queue's app, the servers and the demo."""
