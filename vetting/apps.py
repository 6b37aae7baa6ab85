"""Wires the app."""

from __future__ import annotations

from django.apps import AppConfig


class VettingConfig(AppConfig):
    name = "vetting"
    default_auto_field = "django.db.models.BigAutoField"
