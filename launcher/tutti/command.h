// The `tutti` command: a file per subcommand with one function, and a row of kSubcommands in main.cc. Texts for people go
// to stderr as "tutti: ...", results to stdout. One thread.
#pragma once
#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "base/err.h"

namespace tutti::launcher {

enum ExitCode { kGood = 0, kFailed = 1, kWrongUse = 2 };

// What follows the subcommand's name.
using Words = std::vector<std::string>;

// Each gets its empty command line, named and described by its row; adds options and examples (app.footer), reads the
// words, works, and returns an ExitCode. main() flushes stdout and looks whether all could be written.
int info(CLI::App& app, const Words& words);
int simulate(CLI::App& app, const Words& words);
int topo(CLI::App& app, const Words& words);
int tune(CLI::App& app, const Words& words);

// Reads the words into the variables that `app`'s options name. The exit code when that was all: after --help, or wrong
// use, which is told in one line with the nearest option.
std::optional<int> read_words(CLI::App& app, const Words& words);

// Writes a file, or stdout if it's called "-": there main() looks whether that went well.
Err write_file(const std::string& file, const std::string& text);

// "tutti: why" on stderr; returns `code`.
int refuse(int code, const std::string& why);

}  // namespace tutti::launcher
