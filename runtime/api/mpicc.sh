#!/bin/sh
# mpicc, mpicxx and mpic++: the compiler with what an MPI program needs. Finds include/ and lib/ beside the folder it lies
# in, so a build tree, an installation and a moved copy of either work alike.
set -u
self=$(readlink -f -- "$(command -v -- "$0")")
prefix=$(dirname -- "$(dirname -- "$self")")
name=$(basename -- "$0")
case $name in
  mpicc) compiler=${TUTTI_CC:-${CC:-cc}} variable=TUTTI_CC ;;
  *) compiler=${TUTTI_CXX:-${CXX:-c++}} variable=TUTTI_CXX ;;
esac
# A wrapper named in CC must not call itself.
case $(basename -- "${compiler%% *}") in mpicc) compiler=cc ;; mpicxx | mpic++) compiler=c++ ;; esac

include=$prefix/include
lib=$prefix/lib
[ -e "$lib/libmpi_abi.so" ] || for d in "$prefix"/lib64 "$prefix"/lib/*-linux-gnu; do [ -e "$d/libmpi_abi.so" ] && lib=$d; done

usage() {
  cat <<END
Usage: $name [options of the compiler]
Compiles and links MPI programs with ${compiler}.

  -show, -showme          print the whole command instead of running it
  -showme:compile         print the flags for compiling   (-compile_info: as a command)
  -showme:link            print the flags for linking     (-link_info: as a command)
  -showme:incdirs, :libdirs, :libs, :command, :version
  $variable=clang            the compiler to use

Examples:
  $name -O2 hello.c -o hello && mpirun -np 4 ./hello
  $name -show
END
}

show=
links=yes
for argument; do
  case $argument in
    -show | -showme | --showme) show=all ;;
    -showme:* | --showme:*) show=${argument#*:} ;;
    -compile_info) show=compile_info ;;
    -link_info) show=link_info ;;
    --help) usage; exit 0 ;;
    -c | -E | -S | -M | -MM | -fsyntax-only) links= ;;
  esac
done
# A lone question to the compiler gets no library to link: mpicc -v would miss main.
[ $# -eq 1 ] && case $1 in -v | -V | --version | -dump* | -print-* | --print-*) links= ;; esac

compile_flags="-I$include"
link_flags="-L$lib -Wl,-rpath,$lib -Wl,--enable-new-dtags -lmpi_abi"
others() {                                 # the arguments that are the compiler's
  for argument; do
    case $argument in
      -show | -showme | --showme | -showme:* | --showme:* | -compile_info | -link_info) ;;
      *) printf ' %s' "$argument" ;;
    esac
  done
}

case $show in
  all) printf '%s %s%s%s\n' "$compiler" "$compile_flags" "$(others "$@")" "${links:+ $link_flags}"; exit 0 ;;
  compile) printf '%s\n' "$compile_flags"; exit 0 ;;
  link) printf '%s\n' "$link_flags"; exit 0 ;;
  compile_info) printf '%s %s\n' "$compiler" "$compile_flags"; exit 0 ;;
  link_info) printf '%s %s\n' "$compiler" "$link_flags"; exit 0 ;;
  incdirs) printf '%s\n' "$include"; exit 0 ;;
  libdirs) printf '%s\n' "$lib"; exit 0 ;;
  libs) printf 'mpi_abi\n'; exit 0 ;;
  command) printf '%s\n' "$compiler"; exit 0 ;;
  version) printf '%s: tutti @VERSION@\n' "$name"; exit 0 ;;
  "") ;;
  *) printf '%s: -showme:%s is none of compile, link, incdirs, libdirs, libs, command, version\n' "$name" "$show" >&2; exit 1 ;;
esac

# -Wl for the library after the user's objects; quoting of the user's arguments stays as it is.
# shellcheck disable=SC2086
if [ $# -eq 0 ]; then
  exec $compiler
elif [ -n "$links" ]; then
  exec $compiler $compile_flags "$@" -L"$lib" -Wl,-rpath,"$lib" -Wl,--enable-new-dtags -lmpi_abi
else
  exec $compiler $compile_flags "$@"
fi
