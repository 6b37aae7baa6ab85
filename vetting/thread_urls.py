"""Pages on which people write to each other, and what each of them is told of."""

from __future__ import annotations

from django.urls import path

from vetting.views import for_you, threads

THREADS = "policies/<slug:slug>/threads/"
ON = f"{THREADS}on/<str:key>/"
ONE = f"{THREADS}<str:uid>/"

urlpatterns = [
    path("for-you/", for_you.for_you, name="for-you"),
    path("for-you/mail/", for_you.mail, name="for-you-mail"),
    path("mail/stop/<str:token>/", for_you.stop, name="mail-stop"),
    path(THREADS, threads.listed, name="threads"),
    path(ON, threads.about, name="threads-about"),
    path(f"{ON}start/", threads.start, name="thread-start"),
    path(f"{ON}give/", threads.give, name="assign"),
    path(ONE, threads.thread, name="thread"),
    path(f"{ONE}say/", threads.say, name="thread-say"),
    path(f"{ONE}close/", threads.close, name="thread-close"),
    path(f"{ONE}open/", threads.reopen, name="thread-open"),
    path(f"{ONE}give/", threads.give_thread, name="thread-give"),
]
