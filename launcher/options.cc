#include "launcher/options.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/env.h"
#include "base/nearest.h"
#include "launcher/names.h"

namespace tutti::launcher {
namespace {

using Values = std::span<const std::string_view>;

// Where a value goes: the program being read, and the whole line.
struct Target {
  Options& options;
  App& app;
};

Result<int> whole_number(std::string_view option, std::string_view text, int least) {
  std::size_t i = 0;
  long n = 0;
  while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) && n < 100'000'000) n = 10 * n + (text[i++] - '0');
  if (text.empty() || i != text.size() || n < least)
    return FAIL(kErrArg, "%.*s takes a whole number from %d, not \"%.*s\"", int(option.size()), option.data(), least,
                int(text.size()), text.data());
  return static_cast<int>(n);
}

Result<double> seconds(std::string_view option, std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double s = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !(s > 0) || s > 1e9)
    return FAIL(kErrArg, "%.*s takes a number of seconds above 0, not \"%s\"", int(option.size()), option.data(), copy.c_str());
  return s;
}

Err set_np(Target t, Values v) { t.app.np = TRY(whole_number("-np", v[0], 1)); return {}; }
Err set_timeout(Target t, Values v) { t.options.timeout_s = TRY(seconds("--timeout", v[0])); return {}; }
Err set_fake_nodes(Target t, Values v) { t.options.map.fake_nodes = TRY(whole_number("--fake-nodes", v[0], 1)); return {}; }
Err set_map(Target t, Values v) { return set_map_by(t.options.map, v[0]); }
Err set_rank(Target t, Values v) { return set_rank_by(t.options.map, v[0]); }
Err set_bind(Target t, Values v) { return set_bind_to(t.options.map, v[0]); }
Err set_oversubscribe(Target t, Values) { t.options.map.sharing = Sharing::kAllow; return {}; }
Err set_nooversubscribe(Target t, Values) { t.options.map.sharing = Sharing::kForbid; return {}; }
Err set_hosts(Target t, Values v) { t.options.hosts.hosts = v[0]; return {}; }
Err set_hostfile(Target t, Values v) { t.options.hosts.hostfile = v[0]; return {}; }
Err set_errhandler(Target t, Values v) { t.app.env.emplace_back("TUTTI_ERRHANDLER", v[0]); return {}; }
Err set_memory_kinds(Target, Values) { return {}; }       // a program learns what there is of what it asks for: mpi and system
Err set_wdir(Target t, Values v) { t.app.wdir = v[0]; return {}; }
Err set_tag(Target t, Values) { t.options.output.tag = true; return {}; }
Err set_timestamp(Target t, Values) { t.options.output.timestamp = true; return {}; }
Err set_report(Target t, Values) { t.options.report_bindings = true; return {}; }
Err set_show_map(Target t, Values) { t.options.show_map = true; return {}; }
Err set_quiet(Target t, Values) { t.options.quiet = true; return {}; }
Err set_verbose(Target t, Values) { t.options.verbose = true; return {}; }
Err set_no_library_path(Target t, Values) { t.options.library_path = false; return {}; }
Err set_help(Target t, Values) { t.options.help = true; return {}; }
Err set_help_env(Target t, Values) { t.options.help_env = true; return {}; }
Err set_version(Target t, Values) { t.options.version = true; return {}; }
Err set_nothing(Target, Values) { return {}; }

Err set_stdin(Target t, Values v) {
  t.options.stdin_rank.reset();
  if (v[0] != "none") t.options.stdin_rank = TRY(whole_number("--stdin takes a rank or \"none\"; a rank", v[0], 0));
  return {};
}

Err set_ppn(Target t, Values v) {
  t.options.map.per_object = TRY(whole_number("--ppn", v[0], 1));
  t.options.map.by = Level::kNode;
  t.options.map.by_given = true;
  return {};
}

Err set_output_dir(Target t, Values v) {
  OutputStyle& o = t.options.output;
  o.dir = v[0];
  constexpr std::string_view kNocopy = ":nocopy";
  if (o.dir.size() > kNocopy.size() && v[0].substr(o.dir.size() - kNocopy.size()) == kNocopy) {
    o.dir.resize(o.dir.size() - kNocopy.size());
    o.files_only = true;
  }
  if (o.dir.empty()) return FAIL(kErrArg, "--output-dir takes the name of a folder");
  return {};
}

Err set_variable(Target t, Values v) {
  const std::size_t equals = v[0].find('=');
  const std::string name(v[0].substr(0, equals));
  if (name.empty()) return FAIL(kErrArg, "-x takes NAME or NAME=VALUE, not \"%s\"", std::string(v[0]).c_str());
  if (equals != std::string_view::npos) t.app.env.emplace_back(name, v[0].substr(equals + 1));
  else if (env_other(name.c_str()).empty()) t.options.unset.push_back(name);   // ranks inherit what is set
  return {};
}

Err set_pair(Variables& to, const char* option, Values v) {
  if (v[0].empty() || v[0].find('=') != std::string_view::npos)
    return FAIL(kErrArg, "%s takes NAME and VALUE as two words, not \"%s\"", option, std::string(v[0]).c_str());
  to.emplace_back(v[0], v[1]);
  return {};
}
Err set_genv(Target t, Values v) { return set_pair(t.options.env, "-genv", v); }
Err set_env(Target t, Values v) { return set_pair(t.app.env, "-env", v); }

struct Option {
  std::string_view names;               // all spellings; the first ones are shown
  std::string_view values;              // one word per value; "" for a switch
  Err (*set)(Target, Values);
  std::string_view help;                // "" is accepted, but not shown
  std::string_view heading = "";        // above it, in --help
};

constexpr Option kOptions[] = {
    {"-np|-n|--np|-c|--n", "N", set_np, "how many ranks to start; without it, one per core we may use", "Ranks"},
    {"-x", "NAME[=VALUE]", set_variable, "set a variable for this program's ranks (those set here are inherited)"},
    {"-env|--env", "NAME VALUE", set_env, "the same in two words"},
    {"-genv|--genv", "NAME VALUE", set_genv, "the same for all programs of the line"},
    {"--initial-errhandler|-initial-errhandler", "HANDLER", set_errhandler,
     "what MPI_COMM_WORLD begins with: mpi_errors_are_fatal (default), mpi_errors_abort or mpi_errors_return"},
    {"--memory-alloc-kinds|-memory-alloc-kinds", "KINDS", set_memory_kinds, "kinds of memory that the program would use; there are mpi and system"},
    {"--wdir|-wdir|--wd|-wd", "DIR", set_wdir, "folder in which the ranks start"},
    {"--no-library-path", "", set_no_library_path,
     "do not put our libraries first in the ranks' LD_LIBRARY_PATH, nor name ours to mpi4py (MPI4PY_LIBMPI)"},
    {"--stdin|-stdin", "RANK|none", set_stdin, "the rank that gets our standard input (default 0); others see its end"},

    {"--map-by|-map-by", "WHERE", set_map,
     "deal ranks to slot (default), core, hwthread, l3, numa, package or node; ppr:N:WHERE puts N on each; append :PE=N for N cores a rank",
     "Placement"},
    {"--rank-by|-rank-by", "ORDER", set_rank, "number ranks by slot (one object after the other), span (in turn over objects) or node"},
    {"--bind-to|-bind-to", "WHAT", set_bind,
     "keep each rank on a core, hwthread, l3, numa or package, or none; default: an equal share of the cores, none when ranks outnumber them"},
    {"--ppn|-ppn|--npernode|-npernode|-perhost|-N", "N", set_ppn, "N ranks on each node"},
    {"--oversubscribe|-oversubscribe", "", set_oversubscribe, "more ranks than cores is meant: say nothing about it"},
    {"--nooversubscribe|-nooversubscribe", "", set_nooversubscribe, "more ranks than cores is an error"},
    {"--host|--hosts|-host|-hosts|-H", "LIST", set_hosts, "hosts to run on, a,b:4; this host only for now"},
    {"--hostfile|-hostfile|--machinefile|-machinefile|-f", "FILE", set_hostfile, "the same, a host a line, with slots=N or :N"},
    {"--fake-nodes|-fake-nodes", "K", set_fake_nodes, "treat this host as K nodes that share no memory, for tests; dealt in turn with --map-by node"},
    {"--report-bindings|-report-bindings", "", set_report, "tell on stderr where each rank is bound"},
    {"--show-map|-show-map|--display-map", "", set_show_map, "print where each rank goes; without a program, only that"},

    {"--tag-output|-tag-output|-l|--prepend-rank|-prepend-rank", "", set_tag, "put [rank] before each line", "Output"},
    {"--timestamp-output|-timestamp-output", "", set_timestamp, "put the time before each line"},
    {"--output-dir|-output-dir", "DIR[:nocopy]", set_output_dir, "also write DIR/rank-N.out and .err; with :nocopy, only that"},

    {"--timeout|-timeout", "S", set_timeout, "after S seconds show what each rank is doing, end the job, exit 124 (also MPIEXEC_TIMEOUT)",
     "Job"},
    {"--quiet|-q", "", set_quiet, "no notices, only errors"},
    {"--verbose|-v|-verbose", "", set_verbose, "tell what is started, where, and how long it took"},
    {"--allow-run-as-root|-genvall|-envall|--report-state-on-timeout", "", set_nothing, ""},  // what we do anyhow
    {"--help|-h|-help", "", set_help, "this text"},
    {"--help-env", "", set_help_env, "the variables that change how the library works"},
    {"--version|-V|-version", "", set_version, "print the version"},
};

// Options of other mpiruns (Open MPI 4 and 5, Hydra), with what to write instead.
struct Foreign { std::string_view names, ours; };

constexpr Foreign kForeign[] = {
    {"--mca|-mca|--gmca|-gmca|--prtemca|--pmixmca|--tune|-tune|--am|-am", "what can be tuned are TUTTI_ variables, see mpirun --help-env"},
    {"-genvlist|-genvnone|-envlist|-envnone", "ranks inherit every variable; -x NAME=VALUE sets one more"},
    {"--use-hwthread-cpus|-use-hwthread-cpus|--byhwthread", "use --map-by hwthread"},
    {"--bind-to-core|-bind-to-core", "use --bind-to core"},
    {"--bynode|-bynode", "use --map-by node"},
    {"--pernode|-pernode", "use --ppn 1"},
    {"--npersocket|-npersocket", "use --map-by ppr:N:package"},
    {"--cpu-set|-cpu-set|--cpu-list|-cpu-list", "start mpirun itself on those CPUs: taskset -c LIST mpirun ..."},
    {"--rankfile|-rankfile|-rf", "use --map-by, --rank-by and --bind-to"},
    {"--cpus-per-proc|-cpus-per-proc|--cpus-per-rank|-cpus-per-rank", "use --map-by slot:PE=N"},
    {"--display|--display-allocation|--display-topo|--display-map-devel|-print-rank-map", "use --show-map or --report-bindings; tutti topo shows this host"},
    {"--output|--output-filename|-output-filename|-outfile-pattern|-errfile-pattern|-prepend-pattern", "use --output-dir or --tag-output"},
    {"--merge-stderr-to-stdout|--stdout-stderr", "append 2>&1, since mpirun keeps the streams of the ranks apart"},
    {"-gdb|-tv|--tv|--debug|--xterm|-xterm", "attach to a rank with gdb -p PID; --verbose tells the PIDs"},
    {"--get-stack-traces", "--timeout shows each rank's MPI call; gdb -p PID shows the stack"},
    {"-configfile|--app|-app", "write the programs in one line, a ':' between them"},
    {"-info|--info", "use tutti info"},
    {"--do-not-launch|--rtos|--runtime-options", "--show-map without a program starts nothing"},
    {"--report-pid|--report-uri|-print-all-exitcodes", "--verbose tells the ranks' PIDs and exit codes"},
    {"--enable-recovery|--disable-auto-recovery|-disable-auto-cleanup|--with-ft", "a rank that fails ends the job"},
    {"--path|-path", "name the program with its folder, or set PATH"},
    {"-iface", "-x TUTTI_NET_IF=NAME says which interfaces carry messages"},
    {"-s", "use --stdin RANK"},
    {"--prefix|-prefix|--noprefix", "the libraries are found from where mpirun and the program lie"},
    {"-launcher|-launcher-exec|-bootstrap|-rmk|--launch-agent|--nolocal|-nolocal|--default-hostfile", "ranks start on this host only for now"},
};

template <class F> void each_word(std::string_view list, char separator, F f) {
  while (!list.empty()) {
    const std::size_t at = list.find(separator);
    f(list.substr(0, at));
    list = at == std::string_view::npos ? std::string_view() : list.substr(at + 1);
  }
}

const Option* find(std::string_view name) {
  for (const Option& o : kOptions) {
    bool is_it = false;
    each_word(o.names, '|', [&](std::string_view n) { is_it |= n == name; });
    if (is_it) return &o;
  }
  return nullptr;
}

Err unknown(std::string_view name) {
  for (const Foreign& f : kForeign) {
    bool is_it = false;
    each_word(f.names, '|', [&](std::string_view n) { is_it |= n == name; });
    if (is_it)
      return FAIL(kErrArg, "%.*s is not ours: %.*s", int(name.size()), name.data(), int(f.ours.size()), f.ours.data());
  }
  std::vector<std::string_view> names;
  for (const Option& o : kOptions) each_word(o.names, '|', [&](std::string_view n) { names.push_back(n); });
  const std::string guess = name.size() > 2 ? nearest(name, names) : "";    // every letter is near every other one
  return FAIL(kErrArg, "unknown option %.*s%s%s%s", int(name.size()), name.data(),
              guess.empty() ? "; mpirun --help lists them" : "; did you mean ", guess.c_str(), guess.empty() ? "" : "?");
}

using Words = std::span<char* const>;

// Reads one option at words[at]; moves `at` behind it and its values.
Err read_option(Words words, std::size_t& at, Target target) {
  std::string_view word = words[at++];
  std::vector<std::string_view> values;
  const std::size_t equals = word.find('=');
  const Option* option = find(word.substr(0, equals));
  if (!option) return unknown(word.substr(0, equals));
  if (equals != std::string_view::npos) values.push_back(word.substr(equals + 1)), word = word.substr(0, equals);
  std::size_t wanted = 0;
  each_word(option->values, ' ', [&](std::string_view) { ++wanted; });
  if (values.size() > wanted) return FAIL(kErrArg, "%s takes no value", std::string(word).c_str());
  while (values.size() < wanted && at < words.size()) values.push_back(words[at++]);
  if (values.size() < wanted)
    return FAIL(kErrArg, "%s needs %s", std::string(word).c_str(), std::string(option->values).c_str());
  return option->set(target, values);
}

Err check(const Options& options) {
  if (options.help || options.help_env || options.version) return {};
  for (const App& app : options.apps)
    if (app.command.empty() && (!options.show_map || options.apps.size() > 1))
      return FAIL(kErrArg, "no program to run%s; mpirun -np 4 ./a.out; mpirun --help tells more",
                  options.apps.size() > 1 ? " before or after a ':'" : "");
  return {};
}

}  // namespace

Result<Options> parse(int argc, char** argv) {
  Options options;
  const Words words(argv + 1, argc > 0 ? static_cast<std::size_t>(argc - 1) : 0);
  if (const std::string s = env_other("MPIEXEC_TIMEOUT"); !s.empty()) options.timeout_s = TRY(seconds("MPIEXEC_TIMEOUT", s));
  std::size_t at = 0;
  do {
    App app;
    while (at < words.size() && words[at][0] == '-' && words[at][1] != '\0') {
      if (std::string_view(words[at]) == "--") { ++at; break; }
      TRY(read_option(words, at, {options, app}));
    }
    while (at < words.size() && std::string_view(words[at]) != ":") app.command.emplace_back(words[at++]);
    options.apps.push_back(std::move(app));
  } while (at++ < words.size());
  TRY(check(options));
  for (const App& app : options.apps) options.map.np.push_back(app.np);
  return options;
}

namespace {

constexpr std::size_t kWidth = 100;

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out, line(indent, ' ');
  each_word(text, ' ', [&](std::string_view word) {
    if (line.size() + word.size() > kWidth) out += line + "\n", line.assign(indent, ' ');
    line += (line.size() == indent ? "" : " ") + std::string(word);
  });
  return out + line + "\n";
}

// The first spelling, and the next one that differs by more than its dashes.
std::string spellings(const Option& o) {
  std::string first, second;
  const auto bare = [](std::string_view n) { return n.substr(n.find_first_not_of('-')); };
  each_word(o.names, '|', [&](std::string_view n) {
    if (first.empty()) first = n;
    else if (second.empty() && bare(n) != bare(first)) second = n;
  });
  return first + (second.empty() ? "" : ", " + second) + (o.values.empty() ? "" : " ") + std::string(o.values);
}

}  // namespace

std::string help_text() {
  std::string out =
      "Usage: mpirun [options] program [arguments] [: [options] program [arguments]] ...\n"
      "Starts a program as several MPI ranks on this host. mpiexec is the same.\n";
  for (const Option& o : kOptions) {
    if (o.help.empty()) continue;
    if (!o.heading.empty()) out += "\n" + std::string(o.heading) + "\n";
    out += "  " + spellings(o) + "\n" + wrapped(o.help, 8);
  }
  out += std::string(
      "\nExamples\n"
      "  mpirun -np 4 ./solver input.dat\n"
      "  mpirun -np 2 --tag-output --timeout 60 python3 train.py\n"
      "  mpirun -np 1 ./server : -np 3 -x MODE=fast ./worker\n"
      "  mpirun -np 8 --map-by numa --bind-to core --report-bindings ./solver\n"
      "  mpirun -np 4 --fake-nodes 2 ./solver      # as if on two nodes\n"
      "\nCtrl-\\ shows what each rank is doing. Ctrl-C is passed on to the ranks; a second one kills them.\n"
      "Exit code: the first failing rank's own code, or 128+signal; 1 for bad use, when a rank left\n"
      "without MPI_Finalize, and when output could not be written; 124 time-out; 126 program not\n"
      "executable; 127 program not found.\n");
  return out;
}

std::string help_env_text() {
  const Env defaults;
  std::string out = "Variables that change how the library works (tutti info shows their present values):\n";
  for (const Knob& k : kKnobs) {
    const std::string words = k.words.empty() ? "" : " [" + std::string(k.words) + "]";
    out += "  " + std::string(k.name) + knob_value(k, defaults, " (default ", ")") + "\n" + wrapped(std::string(k.help) + words, 8);
  }
  return out;
}

}  // namespace tutti::launcher
