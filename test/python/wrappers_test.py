#!/usr/bin/env python3
"""The compiler wrappers, CMake's FindMPI, Meson, autoconf's AX_MPI, pkg-config, and an installation that was moved. Usage: wrappers_test.py BUILD"""
import os
import pathlib
import shutil
import subprocess
import sys

from sentences import run_tests

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
HELLO = HERE / "cmake/hello.c"


def sh(*command, path=None, **more):
    environment = {**os.environ, "PATH": f"{path or BUILD / 'bin'}:{os.environ['PATH']}"}
    for name in ("CC", "CXX", "TUTTI_CC", "TUTTI_CXX"): environment.pop(name, None)
    environment.update(more.pop("env", {}))
    done = subprocess.run([str(c) for c in command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, **more)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def says_hello(out, ranks):
    assert sorted(out.split("\n")) == sorted([f"rank {r} of {ranks}" for r in range(ranks)] + [""]), out


def test_mpicc_compiles_and_links_a_program(tmp):
    sh("mpicc", HELLO, "-o", tmp / "hello")
    says_hello(sh("mpirun", "-q", "-np", 3, tmp / "hello"), 3)


def test_compiling_and_linking_may_be_two_steps(tmp):
    sh("mpicxx", "-c", HERE / "cmake/hello.cc", "-o", tmp / "hello.o")
    sh("mpic++", tmp / "hello.o", "-o", tmp / "hello")
    says_hello(sh("mpirun", "-np", 2, tmp / "hello"), 2)


def test_show_prints_a_command_that_works(tmp):
    command = sh("mpicc", "-show", HELLO, "-o", tmp / "hello")
    sh("sh", "-c", command)
    says_hello(sh("mpirun", "-np", 2, tmp / "hello"), 2)


def test_show_forms_answer_what_build_systems_ask(tmp):
    assert sh("mpicc", "-showme:compile") == f"-I{BUILD}/include\n"
    assert f"-L{BUILD}/lib" in sh("mpicc", "-showme:link") and "-lmpi_abi" in sh("mpicc", "-showme:link")
    assert sh("mpicc", "-showme:incdirs") == f"{BUILD}/include\n"


def test_questions_to_the_compiler_are_answered(tmp):
    for question in ("-v", "--version", "-dumpversion", "-print-search-dirs"): assert sh("mpicc", question) == sh("cc", question)


def test_the_compiler_can_be_chosen(tmp):
    assert sh("mpicc", "-show", env={"TUTTI_CC": "gcc -m64"}).startswith("gcc -m64 ")


def test_arguments_with_spaces_arrive_whole(tmp):
    (tmp / "a b.c").write_text('#include <mpi.h>\n#include <stdio.h>\nint main(void) { puts(TEXT); return 0; }\n')
    sh("mpicc", "-DTEXT=\"one two\"", tmp / "a b.c", "-o", tmp / "a b")
    assert sh(tmp / "a b") == "one two\n"


def test_cmake_finds_us(tmp):
    sh("cmake", "-S", HERE / "cmake", "-B", tmp / "build")
    sh("cmake", "--build", tmp / "build")
    for name in ("hello_c", "hello_cxx"): says_hello(sh("mpirun", "-np", 2, tmp / "build" / name), 2)


def build_by_pkg_config(tmp, folder):
    flags = sh("pkg-config", "--cflags", "--libs", "tutti", env={"PKG_CONFIG_PATH": str(folder)}).split()
    sh("cc", HELLO, "-o", tmp / "hello", *flags)


def sample(name, tmp):
    """A copy of the sample project of that build system, with its sources."""
    shutil.copytree(HERE / name, tmp / name)
    for source in (HERE / "cmake").glob("hello.*"): shutil.copy(source, tmp / name)
    return tmp / name


def test_meson_finds_us(tmp):
    folder = sample("meson", tmp)
    sh("meson", "setup", folder / "build", folder)
    sh("ninja", "-C", folder / "build")
    for name in ("hello_c", "hello_cxx"): says_hello(sh("mpirun", "-np", 2, folder / "build" / name), 2)


def test_autoconf_finds_us(tmp):
    folder = sample("autoconf", tmp)
    for command in (["autoconf", "--warnings=none"], ["./configure"], ["make"]): sh(*command, cwd=folder)
    for name in ("hello_c", "hello_cxx"): says_hello(sh("mpirun", "-np", 2, folder / name), 2)


def test_pkg_config_finds_us(tmp):
    build_by_pkg_config(tmp, BUILD / "lib/pkgconfig")
    says_hello(sh("mpirun", "-np", 2, tmp / "hello"), 2)


def test_an_installation_works_after_a_move(tmp):
    sh("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", env={"DESTDIR": str(tmp / "root")})
    prefix = next(p.parent.parent for p in (tmp / "root").rglob("bin/mpirun"))
    shutil.move(prefix, tmp / "moved")
    sh("mpicc", HELLO, "-o", tmp / "hello", path=tmp / "moved/bin")
    assert str(BUILD) not in sh("ldd", tmp / "hello")
    says_hello(sh("mpirun", "-np", 2, tmp / "hello", path=tmp / "moved/bin"), 2)
    build_by_pkg_config(tmp, next((tmp / "moved").rglob("tutti.pc")).parent)
    says_hello(sh("mpirun", "-np", 2, tmp / "hello", path=tmp / "moved/bin"), 2)
    assert "libtutti_ucx" in " ".join(p.name for p in (tmp / "moved").rglob("*.so*"))
    says_hello(sh("mpirun", "-np", 2, tmp / "hello", path=tmp / "moved/bin", env={"TUTTI_TRANSPORT": "ucx"}), 2)


sys.exit(run_tests(globals()))
