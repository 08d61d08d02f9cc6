"""Whose work the page contains: licence, authors, source and files of each, and how that is known.

A library in WebAssembly often contains its version: `says` is that text, and a test looks for it in the file, so an
update that brings another version or another library is noticed. `known` says what could not be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

ALLOWED = frozenset(
    {
        *("MIT", "MPL-2.0", "PSF-2.0", "LGPL-3.0-or-later", "Zlib", "bzip2-1.0.6", "BSD-2-Clause", "BSD-3-Clause"),
        *("Apache-2.0 WITH LLVM-exception", "dtoa", "Unicode-3.0", "public domain"),
    }
)
WASM = "pyodide/pyodide.asm.wasm"
_SCRIPT = "pyodide/pyodide.asm.mjs"
_LOADER = "pyodide/pyodide.mjs"
_WHEEL = "python_flint.whl"
_OWN_WORD = "the file says so"
_IN_CPYTHON = "its name is in the file; the version is the one that CPython 3.14.2 carries"


@dataclass(frozen=True)
class Work:
    """One work of its authors inside the page."""

    name: str
    licence: str
    """In the terms of SPDX; more than one are joined by AND."""
    copyright: str
    source: str
    files: tuple[str, ...]
    """Where it is in the folder; `*` stands for any name there."""
    texts: tuple[str, ...] = ()
    """Its licences: names in licences/, or files of python-flint's wheel."""
    says: tuple[str, ...] = ()
    """Text in the first of its files that shows that it is there, with its version if there is one."""
    known: str = _OWN_WORD
    """How certain this entry is."""


_LGPL = "LGPL-3.0-or-later"
_LIBS = "python-flint.libs/"

WORKS = (
    Work(
        "synthbounds",
        "MIT",
        "Copyright (c) 2026 The synthbounds authors",
        "this page's own project",
        ("*.html", "*.js", "*.css", "papers.json", "stored.json", "synthbounds.zip"),
        known="ours",
    ),
    Work(
        "Pyodide 314.0.7",
        "MPL-2.0",
        "Pyodide contributors and Mozilla",
        "https://github.com/pyodide/pyodide, version 314.0.7",
        (_SCRIPT, WASM, _LOADER, "pyodide/pyodide-lock.json", "python.zip"),
        ("MPL-2.0",),
        ('API.version="314.0.7"',),
        "version in the file, licence in its package; its modules are compiled, its list of packages is emptied",
    ),
    Work(
        "hiwire",
        "MPL-2.0",
        "the authors of hiwire",
        "https://github.com/pyodide/hiwire, commit 6a1e67280a15",
        (WASM, _SCRIPT),
        ("MPL-2.0",),
        ("hiwire_new",),
        "it is in the file; commit as in cpython/Makefile of Pyodide; licence according to others who ship it",
    ),
    Work(
        "error-stack-parser, stackframe",
        "MIT",
        "Copyright (c) 2017 Eric Wendelin and other contributors",
        "https://github.com/stacktracejs, as changed by Pyodide in src/js/vendor/stackframe",
        (_LOADER, _SCRIPT),
        ("stackframe",),
        ("ErrorStackParser$$parse", "StackFrame$$fromString"),
        "the names are in the file; the text is that of stackframe 1.3.4 and of error-stack-parser",
    ),
    Work(
        "CPython 3.14.2",
        "PSF-2.0",
        "Copyright (c) 2001 Python Software Foundation; All Rights Reserved",
        "https://www.python.org, version 3.14.2. Changes: Pyodide's patches (cpython/patches in its repository); the "
        "standard library is cut to what the page uses, and compiled",
        (WASM, "python.zip"),
        ("CPython",),
        ("\0" + "3.14.2\0", "Copyright (c) 2001 Python Software Foundation.", "SRE 2.2.2 Copyright (c) 1997-2002"),
        "version and copyright are in the file; the text is that of Python 3.13 with 3.14's line of copyright",
    ),
    Work(
        "parts of CPython by others: Mersenne Twister, SipHash24, dtoa, cfuhash, uvloop, Global Unbounded Sequences, "
        "pyzstd",
        "BSD-3-Clause AND BSD-2-Clause AND MIT AND dtoa",
        "Makoto Matsumoto and Takuji Nishimura; Marek Majkowski; Lucent Technologies; Don Owens; MagicStack Inc.; "
        "Jeffrey Roberson; Ma Lin and contributors",
        "inside CPython; its page of licences says where",
        (WASM, "python.zip"),
        ("parts of CPython",),
        known="CPython's page of licences, without parts that are not built for WebAssembly or are not in the page",
    ),
    Work(
        "expat 2.7.3",
        "MIT",
        "Copyright (c) 1998-2000 Thai Open Source Software Center Ltd and Clark Cooper; 2001-2025 Expat maintainers",
        "https://libexpat.github.io, version 2.7.3",
        (WASM,),
        ("expat",),
        ("expat_2.7.3",),
    ),
    Work(
        "libmpdec 2.5.1",
        "BSD-2-Clause",
        "Copyright (c) 2008-2020 Stefan Krah",
        "inside CPython, Modules/_decimal/libmpdec",
        (WASM,),
        ("libmpdec",),
        ("Modules/_decimal/libmpdec/mpdecimal.c", "\0" + "2.5.1\0"),
    ),
    Work(
        "mimalloc",
        "MIT",
        "Copyright (c) 2018-2021 Microsoft Corporation, Daan Leijen",
        "inside CPython, Objects/mimalloc",
        (WASM,),
        ("mimalloc",),
        ("mimalloc: warning: ",),
        _IN_CPYTHON,
    ),
    Work(
        "HACL*",
        "MIT",
        "Copyright (c) 2016-2022 INRIA, CMU and Microsoft Corporation; 2022-2023 HACL* Contributors",
        "inside CPython, Modules/_hacl",
        (WASM,),
        ("HACL",),
        ("Modules/_hacl/Hacl_Hash_SHA3.c",),
        _IN_CPYTHON,
    ),
    Work(
        "Unicode Character Database 16.0.0 and 3.2.0",
        "Unicode-3.0",
        "Copyright (c) 1991-2024 Unicode, Inc.",
        "https://www.unicode.org/ucd, as tables of CPython",
        (WASM,),
        ("Unicode",),
        ("\0" + "16.0.0\0", "\0" + "3.2.0\0"),
        "versions in the file; the text is the licence of all Unicode data, with the years of version 16",
    ),
    Work(
        "zlib 1.3.1",
        "Zlib",
        "Copyright (C) 1995-2024 Jean-loup Gailly and Mark Adler",
        "https://zlib.net, version 1.3.1",
        (WASM,),
        ("zlib",),
        ("deflate 1.3.1 Copyright 1995-2024 Jean-loup Gailly and Mark Adler", "\0" + "1.3.1\0"),
    ),
    Work(
        "bzip2 1.0.6",
        "bzip2-1.0.6",
        "Copyright (C) 1996-2010 Julian R Seward",
        "https://sourceware.org/bzip2, version 1.0.6",
        (WASM,),
        ("bzip2",),
        ("\0" + "1.0.6, 6-Sept-2010\0",),
    ),
    Work(
        "Zstandard 1.5.7",
        "BSD-3-Clause",
        "Copyright (c) Meta Platforms, Inc. and affiliates",
        "https://github.com/facebook/zstd, version 1.5.7",
        (WASM,),
        ("Zstandard",),
        ("ZSTD_versionString", "\0" + "1.5.7\0"),
    ),
    Work(
        "liblzma 5.2.2",
        "public domain",
        "Lasse Collin and others",
        "https://tukaani.org/xz, version 5.2.2",
        (WASM,),
        says=("lzma_version_string", "\0" + "5.2.2\0"),
    ),
    Work(
        "SQLite 3.39.0",
        "public domain",
        "D. Richard Hipp and others",
        "https://sqlite.org, version 3.39.0",
        (WASM,),
        says=("sqlite3_libversion", "3.39.0\0", "2022-06-25 14:57:57 14e166f40dbfa6e055543f8301525f2ca2e96a02"),
    ),
    Work(
        "libffi",
        "MIT",
        "Copyright (c) 1996-2022 Anthony Green, Red Hat, Inc and others; 2018-2023 Hood Chatham, Brion Vibber, Kleis "
        "Auke Wolthuizen, and others",
        "https://github.com/libffi/libffi, commit f08493d249d2",
        (WASM, _SCRIPT),
        ("libffi",),
        ("ffi_prep_cif",),
        "it is in the file; commit as in cpython/Makefile of Pyodide; years according to others who ship it",
    ),
    Work(
        "Emscripten 5.0.3",
        "MIT",
        "Copyright (c) 2010-2014 Emscripten authors; parts: Copyright Joyent, Inc. and other Node contributors",
        "https://github.com/emscripten-core/emscripten, version 5.0.3",
        (WASM, _SCRIPT),
        ("Emscripten",),
        ("\0" + "5.0.3\0",),
        "version in the file; of its two licences, MIT and NCSA, the first is taken; its text is from an older version",
    ),
    Work(
        "MiniLZ4",
        "MIT",
        "Copyright (c) 2012 Pierre Curto",
        "inside Emscripten, third_party/mini-lz4.js",
        (_SCRIPT,),
        ("MiniLZ4",),
        ("MiniLZ4",),
    ),
    Work(
        "dlmalloc",
        "public domain",
        "Doug Lea",
        "inside Emscripten, system/lib/dlmalloc.c",
        (WASM,),
        says=("malloc_footprint_limit",),
        known="names of its functions are in the file",
    ),
    Work(
        "musl",
        "MIT",
        "Copyright (c) 2005-2020 Rich Felker, et al.",
        "https://musl.libc.org, the copy inside Emscripten",
        (WASM,),
        ("musl",),
        known="Emscripten's C library; the file does not name it. The text is the same in two copies of musl",
    ),
    Work(
        "LLVM: libc++ 21.1.8, libc++abi, libunwind, compiler-rt",
        "Apache-2.0 WITH LLVM-exception",
        "the LLVM contributors; Copyright (c) 2009-2019 by the contributors listed in CREDITS.TXT",
        "https://github.com/llvm/llvm-project, the copies inside Emscripten",
        (WASM,),
        ("LLVM",),
        ("B8ne210108", "__cxa_throw", "_Unwind_RaiseException", "compiler-rt/lib/builtins/"),
        "names and paths are in the file, and the version of libc++; the text is that of libc++",
    ),
    Work(
        "python-flint 0.9.0",
        "MIT",
        "Copyright (c) 2014-2016 Fredrik Johansson",
        "https://github.com/flintlib/python-flint, version 0.9.0",
        (_WHEEL,),
        ("LICENSE",),
        known="the wheel says so",
    ),
    Work(
        "FLINT 3.6.0",
        _LGPL,
        "the FLINT authors, named in its file AUTHORS",
        "https://flintlib.org, version 3.6.0",
        (_WHEEL,),
        (_LIBS + "flint-3.6.0/COPYING.LESSER", _LIBS + "flint-3.6.0/COPYING"),
        ("3.6.0/src/",),
        "the wheel says so",
    ),
    Work(
        "GMP 6.3.0",
        _LGPL,
        "Free Software Foundation, Inc.",
        "https://gmplib.org, version 6.3.0",
        (_WHEEL,),
        (_LIBS + "gmp-6.3.0/COPYING.LESSERv3", _LIBS + "gmp-6.3.0/COPYING"),
        ("6.3.0\0",),
        "the wheel says so",
    ),
    Work(
        "MPFR 4.2.2",
        _LGPL,
        "Free Software Foundation, Inc.",
        "https://www.mpfr.org, version 4.2.2",
        (_WHEEL,),
        (_LIBS + "mpfr-4.2.2/COPYING.LESSER", _LIBS + "mpfr-4.2.2/COPYING"),
        ("4.2.2\0",),
        "the wheel says so",
    ),
)


def works_in(file: str) -> list[Work]:
    """Whose work a file of the folder contains."""
    return [work for work in WORKS if any(_matches(file, pattern) for pattern in work.files)]


def _matches(file: str, pattern: str) -> bool:
    return file.count("/") == pattern.count("/") and fnmatchcase(file, pattern)
