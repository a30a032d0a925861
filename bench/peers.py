"""MPI libraries to run one binary on: each has a launcher and an environment. Used by compare.py."""

import dataclasses
import os
import pathlib
import subprocess

LIBRARY = "libmpi_abi.so.1"

# MPICH's better setting when ranks exceed cores: a rank that waits gives its core to others sooner.
MPICH_THROTTLE = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1", "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "8"}


class PeerError(Exception):
    """A library that cannot be used, or a run of it that failed; the text says why."""


@dataclasses.dataclass
class Peer:
    name: str
    kind: str                # tutti, mpich, intel or other
    launcher: pathlib.Path
    env: dict                # added to ours

    def run(self, np, program, args=(), timeout=600):
        """Runs `program` on np ranks and returns its stdout."""
        command = [str(self.launcher), "-n", str(np), str(program), *map(str, args)]
        try:
            done = subprocess.run(command, env=os.environ | self.env, capture_output=True, text=True, timeout=timeout,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise PeerError(f"{self.name}: {' '.join(command)} was not done after {timeout} s") from None
        if done.returncode != 0:
            tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
            raise PeerError(f"{self.name}: {' '.join(command)} exited with {done.returncode}:\n{tail}")
        return done.stdout

    def varied(self, name, env):
        return dataclasses.replace(self, name=name, env=self.env | env)


def tutti(build):
    """Our own build tree."""
    build = pathlib.Path(build).resolve()
    for file in (build / "bin/mpirun", build / "lib" / LIBRARY):
        if not file.exists(): raise PeerError(f"{file} is missing: build first (ninja -C {build}), or name another --build")
    return Peer("tutti", "tutti", build / "bin/mpirun", {"LD_LIBRARY_PATH": str(build / "lib")})


def from_folder(name, folder):
    """A library installed under `folder` (bin/, lib/), such as a virtual environment with PyPI's mpich or impi-rt."""
    folder = pathlib.Path(folder).expanduser().resolve()
    if not (folder / "lib" / LIBRARY).exists():
        raise PeerError(f"{name}: there is no lib/{LIBRARY} in {folder}, so it cannot run a binary of the standard ABI"
                        " (MPICH has it from version 5 on, Intel MPI from 2021.17)")
    kind = "intel" if (folder / "bin/impi_info").exists() else "mpich" if (folder / "bin/hydra_pmi_proxy").exists() else "other"
    launchers = [p for p in (folder / "bin/mpiexec.hydra", folder / "bin/mpiexec", folder / "bin/mpirun") if p.exists()]
    if not launchers: raise PeerError(f"{name}: there is no mpiexec or mpirun in {folder}/bin")
    env = {"LD_LIBRARY_PATH": str(folder / "lib")}
    if kind == "intel": env |= intel_env(name, folder)
    return Peer(name, kind, launchers[0], env)


def intel_env(name, folder):
    """impi-rt's wheels since 2021.15 leave libfabric out, which the library needs even inside a node."""
    fabric = folder / "lib/libfabric"
    if not (fabric / "libfabric.so.1").exists():
        raise PeerError(f"{name}: Intel MPI needs libfabric in {fabric}; it is in the wheel of an older version:\n"
                        f"  pip download --no-deps impi-rt==2021.14.0 && unzip impi_rt-2021.14.0-*.whl '*/lib/libfabric/*'\n"
                        f"  cp -r impi_rt-2021.14.0.data/data/lib/libfabric {fabric.parent}")
    return {"I_MPI_ROOT": str(folder), "LD_LIBRARY_PATH": f"{folder / 'lib'}:{fabric}", "FI_PROVIDER": "tcp",
            "FI_PROVIDER_PATH": str(fabric / "prov"), "I_MPI_FABRICS": "shm", "I_MPI_HYDRA_BOOTSTRAP": "fork"}


def add_variant(peers, text):
    """Adds the peer that `text`, NEW=OLD:KEY=VALUE,KEY=VALUE, describes."""
    name, _, rest = text.partition("=")
    old, _, settings = rest.partition(":")
    pairs = [setting.partition("=") for setting in settings.split(",")]
    if not name or not settings or not all(key and equals for key, equals, _ in pairs):
        raise PeerError(f"--variant is {text}, but must read NEW=OLD:KEY=VALUE[,KEY=VALUE...]")
    base = next((peer for peer in peers if peer.name == old), None)
    if not base: raise PeerError(f"--variant {text}: no peer is called {old}; there are {', '.join(p.name for p in peers)}")
    peers.append(base.varied(name, {key: value for key, _, value in pairs}))


def with_throttle(peers, np):
    """The peers for np ranks: where these exceed the cores, MPICH comes once more in its better setting."""
    if np <= len(os.sched_getaffinity(0)): return list(peers)
    extra = [p.varied(p.name + "-throttle", MPICH_THROTTLE) for p in peers if p.kind == "mpich"
             and not p.env.keys() & MPICH_THROTTLE.keys()]
    return list(peers) + extra
