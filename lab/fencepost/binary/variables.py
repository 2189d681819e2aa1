# SPDX-License-Identifier: MIT
"""Names for addresses: `waiters`, `table[3]`, `queue.head`, from the debug information; and what it
says of local variables and types."""

from __future__ import annotations

import bisect
import os
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fencepost.binary.object_symbols import OBJECT, THREAD_LOCAL, symbols

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

    from fencepost.binary.call_places import Place

DW_OP_ADDR = 0x03  # gcc: the address itself
DW_OP_ADDRX = 0xA1  # clang: its index in a table
DW_OP_CONST8U = 0x0E  # of a thread-local variable: its offset, and then one of the next two
DW_OPS_OF_THREAD = (0x9B, 0xE0)

_TRANSPARENT = {"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_atomic_type"}
_RECORDS = {"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"}
_SCOPES = {"DW_TAG_namespace"}
_BUILT_IN = re.compile(r"\b(?:(?:unsigned|signed|long|short|int|char)\b\s*)+")
_DECLARED = {"DW_TAG_variable", "DW_TAG_formal_parameter"}
#: Scopes that hold function-local statics.
_FUNCTIONS = {"DW_TAG_subprogram", "DW_TAG_lexical_block"}


def _name(die: Any) -> str:
    value = die.attributes.get("DW_AT_name")
    return value.value.decode(errors="replace") if value else ""


def _resolved(die: Any) -> Any:
    """The DIE's type without typedefs and qualifiers; None for void."""
    while die is not None and "DW_AT_type" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_type")
        if die.tag not in _TRANSPARENT:
            return die
    return None


def size_of(die: Any) -> int:
    """Size in bytes of a value of this type; 0 where it is not known."""
    if die is None:
        return 0
    if "DW_AT_byte_size" in die.attributes:
        return int(die.attributes["DW_AT_byte_size"].value)
    if die.tag == "DW_TAG_array_type":
        size = size_of(_resolved(die))
        for length in _dimensions(die):
            size *= length
        return size
    return 0


def _dimensions(array: Any) -> list[int]:
    lengths = []
    for child in array.iter_children():
        if child.tag != "DW_TAG_subrange_type":
            continue
        if "DW_AT_count" in child.attributes:
            lengths.append(int(child.attributes["DW_AT_count"].value))
        elif "DW_AT_upper_bound" in child.attributes:
            lengths.append(int(child.attributes["DW_AT_upper_bound"].value) + 1)
    return lengths


def _in_std(die: Any) -> bool:
    parent = die.get_parent()
    while parent is not None:
        if parent.tag == "DW_TAG_namespace" and _name(parent) in ("std", "__gnu_cxx"):
            return True
        parent = parent.get_parent()
    return False


def path_in(die: Any, offset: int) -> str:
    """How the language names what lies `offset` bytes into a value of this type."""
    if die is None:
        return f"+{offset}" if offset else ""
    if die.tag == "DW_TAG_array_type":
        element = _resolved(die)
        text, rest, unit = "", offset, size_of(element)
        lengths = _dimensions(die)
        for place in range(len(lengths)):
            stride = unit
            for length in lengths[place + 1 :]:
                stride *= length
            if not stride:
                return f"+{offset}"
            text += f"[{rest // stride}]"
            rest %= stride
        return text + path_in(element, rest)
    if die.tag in _RECORDS:
        name = _name(die)
        # Inside the library's own types only an array's elements mean something to a reader.
        hidden = _in_std(die) and not name.startswith("array<")
        if hidden:
            return f"+{offset}" if offset else ""
        for child in die.iter_children():
            if child.tag not in ("DW_TAG_member", "DW_TAG_inheritance"):
                continue
            place = child.attributes.get("DW_AT_data_member_location")
            if place is None and die.tag != "DW_TAG_union_type":
                continue  # a static member
            if place is not None and not isinstance(place.value, int):
                continue  # a virtual base, whose place the object itself tells
            start = place.value if place else 0
            inner = _resolved(child)
            if start <= offset < start + max(size_of(inner), 1):
                label = _name(child)
                if label.startswith("__"):
                    break  # inside a type of the C library, such as pthread_mutex_t
                silent = child.tag == "DW_TAG_inheritance" or not label or label == "_M_elems"
                return ("" if silent else f".{label}") + path_in(inner, offset - start)
    return f"+{offset}" if offset else ""


@dataclass(frozen=True)
class Variable:
    address: int
    size: int
    name: str
    type: Any = None  # the type's DIE, where debug information has one


def _address_of(die: Any) -> int | None:
    location = die.attributes.get("DW_AT_location")
    if location is None or location.form != "DW_FORM_exprloc":
        return None
    expression = bytes(location.value)
    if len(expression) == 9 and expression[0] == DW_OP_ADDR:
        return int.from_bytes(expression[1:], "little")
    if len(expression) >= 2 and expression[0] == DW_OP_ADDRX:
        index = sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(expression[1:]))
        return int(die.dwarfinfo.get_addr(die.cu, index))
    return None


def _offset_in_thread(die: Any) -> int | None:
    """Where each thread has the variable, counted from the first that the program itself has."""
    location = die.attributes.get("DW_AT_location")
    if location is None or location.form != "DW_FORM_exprloc":
        return None
    expression = bytes(location.value)
    if len(expression) != 10 or expression[0] != DW_OP_CONST8U:
        return None
    return int.from_bytes(expression[1:9], "little") if expression[9] in DW_OPS_OF_THREAD else None


def _qualified(die: Any) -> str:
    """The name with its namespaces and classes; a function's static has its own name alone."""
    name, parent = _name(die), die.get_parent()
    while parent is not None and parent.tag not in _FUNCTIONS:
        if parent.tag in _SCOPES | _RECORDS and _name(parent):
            name = f"{_name(parent)}::{name}"
        parent = parent.get_parent()
    return name


@dataclass
class _Found:
    """What the debug information of the user's sources has."""

    variables: list[Variable] = field(default_factory=list)
    #: Those of which each thread has its own, with their offsets for addresses.
    thread_local: list[Variable] = field(default_factory=list)
    #: By line: the variables that are declared there and have no place of their own.
    locals: dict[int, list[Any]] = field(default_factory=lambda: defaultdict(list))
    #: Types, by their own names as `spelt_alike` has them.
    types: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))


def _search(scope: Any, found: _Found) -> None:
    for die in scope.iter_children():
        if die.tag in _SCOPES:
            if _name(die) not in ("std", "__gnu_cxx", "__cxxabiv1"):
                _search(die, found)
        elif die.tag in _FUNCTIONS and die.has_children:
            _search(die, found)
        elif die.tag in _RECORDS:
            _note_type(die, _name(die), found)
            if die.has_children:
                _search(die, found)
        elif die.tag == "DW_TAG_typedef":
            kind = _resolved(die)
            if kind is not None and kind.tag in _RECORDS and not _name(kind):
                _note_type(kind, _name(die), found)
        elif die.tag == "DW_TAG_base_type":
            _note_type(die, _name(die), found)
        elif die.tag == "DW_TAG_variable" and (offset := _offset_in_thread(die)) is not None:
            found.thread_local.append(_variable(die, offset))
        elif die.tag in _DECLARED and (line := _number(die, "line")) and _address_of(die) is None:
            found.locals[line].append(die)
        elif die.tag == "DW_TAG_variable" and (address := _address_of(die)) is not None:
            found.variables.append(_variable(die, address))


def _variable(die: Any, address: int) -> Variable:
    described = die
    while not _name(described):
        for link in ("DW_AT_specification", "DW_AT_abstract_origin"):
            if link in described.attributes:
                described = described.get_DIE_from_attribute(link)
                break
        else:
            break
    kind = _resolved(described) if "DW_AT_type" in described.attributes else _resolved(die)
    return Variable(address, size_of(kind), _qualified(described), kind)


def spelt_alike(name: str) -> str:
    """`Cell<unsigned long>` and `Cell<long unsigned int>` are one."""

    def sorted_words(found: re.Match[str]) -> str:
        words = found[0].split()
        return "".join(sorted(word for word in words if word != "int" or len(words) == 1))

    return _BUILT_IN.sub(sorted_words, name).replace(" ", "")


def _note_type(die: Any, name: str, found: _Found) -> None:
    if name and size_of(die):
        found.types[spelt_alike(name)].append(die)


def _without_version(symbol: str) -> str:
    """Of a variable of a shared library that lies in the program: `stdout@GLIBC_2.2.5`."""
    return symbol.partition("@")[0]


def _number(die: Any, what: str) -> int:
    """The line or the column of a declaration."""
    value = die.attributes.get(f"DW_AT_decl_{what}")
    return int(value.value) if value else 0


def _read_units(elf: ELFFile, sources: set[str], found: _Found) -> None:
    """Each source is one unit. They are linked first, and those of the checker that follow take
    long to read."""
    dwarf = elf.get_dwarf_info() if elf.has_dwarf_info() else None
    for unit in dwarf.iter_CUs() if dwarf else ():
        top = unit.get_top_DIE()
        directory = top.attributes.get("DW_AT_comp_dir")
        base = directory.value.decode(errors="replace") if directory else ""
        source = os.path.realpath(Path(base) / _name(top))
        if source in sources:
            _search(top, found)
            sources.remove(source)
        if not sources:
            return


class Variables:
    """The globals of one executable, its local variables and its types. Debug information is read
    for the user's own sources alone."""

    def __init__(self, executable: Path, sources: tuple[Path, ...]) -> None:
        from elftools.elf.elffile import ELFFile  # long to load, and most checks name nothing

        self._file = executable.open("rb")
        self._found = _Found()
        found = self._found.variables
        # Names are a courtesy: whatever a compiler writes that the reader does not know, the symbol
        # table still has plain ones.
        with suppress(Exception):
            elf = ELFFile(self._file)
            _read_units(elf, {os.path.realpath(source) for source in sources}, self._found)
        described = {variable.address for variable in found}
        of_threads = {variable.address for variable in self._found.thread_local}
        for symbol in symbols(executable):
            name = _without_version(symbol.name)
            if symbol.kind == THREAD_LOCAL and symbol.defined and symbol.address not in of_threads:
                own = Variable(symbol.address, symbol.size, name)
                self._found.thread_local.append(own)
            if symbol.kind == OBJECT and symbol.defined and symbol.address not in described:
                found.append(Variable(symbol.address, symbol.size, name))
        self._variables = sorted(found, key=lambda variable: variable.address)
        self._addresses = [variable.address for variable in self._variables]

    def name(self, address: int) -> str | None:
        """The expression that names the address, None where no global lies there."""
        place = bisect.bisect_right(self._addresses, address) - 1
        if place < 0:
            return None
        variable = self._variables[place]
        offset = address - variable.address
        if offset >= max(variable.size, 1):
            return None
        return variable.name + path_in(variable.type, offset)

    def thread_local(self, offset: int) -> tuple[str, str] | None:
        """The thread-local variable that lies there in each thread, and what of it."""
        for one in self._found.thread_local:
            if 0 <= offset - one.address < max(one.size, 1):
                return one.name, path_in(one.type, offset - one.address)
        return None

    def local(self, at: Place, size: int) -> tuple[str, Any] | None:
        """The name and the type of the local variable that is declared there."""
        with suppress(Exception):
            fit = {
                (_name(die), _number(die, "column")): _resolved(die)
                for die in self._found.locals.get(at.line, ())
                if _name(die) and size_of(_resolved(die)) == size
            }
            exact = [one for one in fit.items() if one[0][1] == at.column]
            (((name, _), kind),) = exact or fit.items()  # clang tells the line alone
            return name, kind
        return None

    def types(self, name: str) -> list[Any]:
        """Those of this name, without the scopes around it."""
        return self._found.types.get(spelt_alike(name), [])


@lru_cache(maxsize=8)
def variables_of(executable: Path, sources: tuple[Path, ...]) -> Variables:
    return Variables(executable, sources)
