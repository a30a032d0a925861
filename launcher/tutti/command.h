// The `tutti` command: a file per subcommand, each with one function that adds it to the command line. CLI11 calls the
// subcommand it finds; what that returns is the exit code. One thread.
#pragma once
#include <CLI/CLI.hpp>

namespace tutti::launcher {

// `code` takes the exit code of the subcommand that runs; it outlives `app`.
void add_info(CLI::App& app, int& code);
void add_topo(CLI::App& app, int& code);

}  // namespace tutti::launcher
