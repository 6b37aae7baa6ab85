"""Wires the app."""

from __future__ import annotations

from django.apps import AppConfig


class TranslationConfig(AppConfig):
    name = "translation"
    default_auto_field = "django.db.models.BigAutoField"
