"""What each worker does once an hour, whatever goes wrong in it."""

from __future__ import annotations

import threading

import pytest

from policies.jobs import hourly


def test_an_act_is_done_at_the_start_and_each_hour_and_others_go_on_after_an_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done, enough, stop = [], threading.Event(), threading.Event()

    def fail() -> None:
        raise OSError("the database restarts")

    def act() -> None:
        done.append(threading.current_thread().name)
        if len(done) == 3:
            enough.set()

    monkeypatch.setattr(hourly, "_acts", {"broken": fail, "good": act})
    monkeypatch.setattr(hourly, "HOUR_S", 0.01)
    thread = hourly.start(stop)
    assert enough.wait(10)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
    assert set(done) == {"hourly"}
    assert "`broken` is tried again in an hour" in caplog.text
    assert thread.daemon  # a server that does not answer keeps no worker from ending


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="registered twice"):
        hourly.register_hourly("digests", lambda: None)
