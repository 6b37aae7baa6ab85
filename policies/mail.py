"""Messages to people: plain text, through the backend that the settings name.

Links begin with the settings' own address, never with what a request says of its host.
"""

from __future__ import annotations

import logging
import smtplib
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.smtp import EmailBackend
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)


class MailError(Exception):
    """A message did not leave; the text is one sentence for the page."""

    def __init__(self) -> None:
        super().__init__(
            "The message could not be sent: this server’s mail does not work at the moment. "
            "Try again in some minutes, or tell whoever runs this server."
        )


def send(to: str, template: str, context: dict[str, Any]) -> None:
    """Send the message of a template; raises MailError."""
    built = message(to, template, context)
    try:
        built.send()
    # A hostile address or name ends as a ValueError of the message's own (header injection).
    except (OSError, smtplib.SMTPException, ValueError) as error:
        logger.warning("a message `%s` was not sent: %s", template, type(error).__name__)
        raise MailError from error


def message(to: str, template: str, context: dict[str, Any], **options: Any) -> EmailMessage:
    """`mail/<template>.txt`, whose first line is the subject; `options` are EmailMessage's."""
    head, _, body = render_to_string(f"mail/{template}.txt", context).strip().partition("\n")
    return EmailMessage(" ".join(head.split()), body.strip() + "\n", to=[to], **options)


def check_server() -> None:
    """Ask the mail server whether it is there, whoever the message would be for; or MailError.

    A page that must not say whether an address is known asks before it looks.
    """
    connection = get_connection()
    if not isinstance(connection, EmailBackend):
        return
    try:
        connection.open()
        connection.close()
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("the mail server cannot be used: %s", type(error).__name__)
        raise MailError from error


def link(path: str) -> str:
    """A path of ours as an address that a person can open from a message."""
    return f"{settings.POLICYWRIGHT_URL}{path}"
