"""Z3's C functions by plain pointers, for inner loops: a tenth of the wrappers' time.

A pointer is a number, and nobody counts what holds it: it may be used only while
something else keeps its term alive (a vector, a model, an assertion of a solver).
No error is asked for, so only what cannot fail on valid pointers is here.

Source: z3_api.h.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import z3
from z3 import z3core

_POINTER, _UNSIGNED = ctypes.c_void_p, ctypes.c_uint


def _function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The function that the wrapper of this name calls, by its address: z3 hides its library."""
    wrapped = getattr(z3core, name).__defaults__[0].f
    address = ctypes.cast(wrapped, _POINTER).value or 0
    # PYFUNCTYPE keeps the interpreter's lock, which is dear to give up for a microsecond.
    return ctypes.PYFUNCTYPE(result, *arguments)(address)


size_of_model = _function("Z3_model_get_num_consts", _UNSIGNED, _POINTER, _POINTER)
constant_of_model = _function("Z3_model_get_const_decl", _POINTER, _POINTER, _POINTER, _UNSIGNED)
value_in_model = _function("Z3_model_get_const_interp", _POINTER, _POINTER, _POINTER, _POINTER)
name_of_declaration = _function("Z3_get_decl_name", _POINTER, _POINTER, _POINTER)
text_of_symbol = _function("Z3_get_symbol_string", ctypes.c_char_p, _POINTER, _POINTER)
item_of_vector = _function("Z3_ast_vector_get", _POINTER, _POINTER, _POINTER, _UNSIGNED)
argument_of = _function("Z3_get_app_arg", _POINTER, _POINTER, _POINTER, _UNSIGNED)


def term_at(address: int) -> Any:
    """The pointer as the wrappers take it."""
    pointer = z3.Ast(None)
    pointer.value = address
    return pointer
