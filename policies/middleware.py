"""What stands around every view: the reader's time zone, and a page where Django has none."""

from __future__ import annotations

import logging
import zoneinfo
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from policies.views.errors import wrong_method

logger = logging.getLogger(__name__)
GetResponse = Callable[[HttpRequest], HttpResponseBase]


class TimeZone:
    """Pages show times in the zone of who reads them; who is not signed in reads the settings'.

    Who reads is asked when the view is about to run, not before: a database that is away is
    then shown as that, like anywhere in a view.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(None):
            return self.get_response(request)

    def process_view(self, request: HttpRequest, *args: object) -> None:
        name = request.user.time_zone if request.user.is_authenticated else ""
        if not name:
            return
        try:
            timezone.activate(zoneinfo.ZoneInfo(name))
        except (zoneinfo.ZoneInfoNotFoundError, ValueError):
            # It was there when it was chosen; this machine's list of zones is another.
            logger.warning("the time zone of user %s is not known here", request.user.pk)


class WrongMethodPage:
    """A page for 405, which Django leaves empty."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_empty = isinstance(response, HttpResponse) and not response.content
        if response.status_code != 405 or not is_empty or request.method == "HEAD":
            return response
        page = wrong_method(request)
        page["Allow"] = response["Allow"]
        return page
