"""What of a web page is not seen: in preformatted text, by scripts, by styles elsewhere."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from documents.html_elements import UNSHOWN, children
from documents.html_looks import Look, Looks
from documents.saying import Saying
from documents.structure import NoteKind


def say_what_is_unknown(page: LexborHTMLParser, looks: Looks, saying: Saying) -> None:
    """Say what a browser might show or hide that cannot be known from the page alone."""
    scripts = page.css("script")
    if scripts:
        count = "A script was" if len(scripts) == 1 else f"{len(scripts)} scripts were"
        what = f"{count} left out; text that a script would write is not here"
        saying.say(NoteKind.LEFT_OUT, what)
    sheets = page.css("link[rel=stylesheet]")
    if sheets or not looks.complete:
        what = (
            "Not all style rules of this page could be followed, so text that they would hide "
            "was read like any other"
        )
        saying.say(NoteKind.LEFT_OUT, what)


def shown_text(root: LexborNode, look: Look, looks: Looks, saying: Saying) -> str:
    """The text in an element with its blanks; what is hidden in it is said."""
    shown: list[str] = []
    waiting = [(child, look) for child in reversed(list(children(root)))]
    while waiting:
        node, around = waiting.pop()
        if node.is_text_node:
            text = node.text_content or ""
            if around.shown and not around.struck:
                shown.append(text)
            else:
                saying.leave_out(NoteKind.HIDDEN_TEXT, "Hidden text", text)
        elif node.is_comment_node:
            words = node.comment_content or ""
            saying.leave_out(NoteKind.HIDDEN_TEXT, "Hidden text", words)
        elif node.tag == "br":
            shown.append("\n")
        elif node.tag not in UNSHOWN:
            inside = looks.below(node, around)
            waiting += [(child, inside) for child in reversed(list(children(node)))]
    return "".join(shown)
