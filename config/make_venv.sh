#!/bin/sh
# Makes $VENV with $PYTHON, or says in one sentence what is missing. Called by the Makefile.
set -eu

if ! command -v "$PYTHON" >/dev/null 2>&1; then
    echo "Policywright needs Python 3.11 or later, and \`$PYTHON\` was not found: install it, or name another with \`make PYTHON=/path/to/python3\`." >&2
    exit 1
fi
if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    found=$("$PYTHON" -c 'import sys; print("%d.%d" % tuple(sys.version_info[:2]))')
    echo "Policywright needs Python 3.11 or later, and \`$PYTHON\` is $found: install a newer one, or name it with \`make PYTHON=python3.12\`." >&2
    exit 1
fi
if "$VENV/bin/python" -c 'import pip' 2>/dev/null; then
    exit 0
fi
if ! "$PYTHON" -c 'import venv, ensurepip' 2>/dev/null; then
    echo "\`$PYTHON\` lacks the venv module: install it (on Debian and Ubuntu: apt install python3-venv) and run make again." >&2
    exit 1
fi
"$PYTHON" -m venv --clear "$VENV"
