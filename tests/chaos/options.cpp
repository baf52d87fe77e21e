#include "chaos/options.h"

#include <charconv>
#include <functional>

namespace eilbote::chaos {

const char* const kUsage =
    R"(./dev chaos: load, while processes, databases, brokers, lines and disks fail by a drawn plan; then the history is judged.

  --minutes N, --seconds N        how long faults strike (5 minutes)
  --seed S                        the plan and the load of an earlier run (EILBOTE_TEST_SEED does the same)
  --store sqlite|postgres         (sqlite)
  --transport database|rabbitmq   how jobs get to workers (database)
  --rate N                        jobs handed in a second (150)
  --keep DIR                      keep the history and the logs there; without, only those of a run that failed are kept
  --json FILE                     the report as JSON as well
  --judge FILE                    no run: judge a history that was kept
)";

namespace {

template <class Number>
bool read_number(const std::string& text, Number least, Number most, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size() && into >= least && into <= most;
}

bool read_choice(const std::string& text, const char* no, const char* yes, bool& into) {
  into = text == yes;
  return into || text == no;
}

struct Flag {
  const char* name;
  const char* wants;  // in words
  std::function<bool(ChaosOptions&, const std::string&)> take;
};

constexpr int kSecondsMax = 24 * 3600;

const Flag kFlags[] = {
    {"--minutes", "a number of minutes",
     [](ChaosOptions& o, const std::string& text) {
       const bool good = read_number(text, 1, kSecondsMax / 60, o.seconds);
       o.seconds *= 60;
       return good;
     }},
    {"--seconds", "a number of seconds, 10 at least",
     [](ChaosOptions& o, const std::string& text) { return read_number(text, 10, kSecondsMax, o.seconds); }},
    {"--seed", "a number",
     [](ChaosOptions& o, const std::string& text) {
       return read_number<std::uint64_t>(text, 0, UINT64_MAX, o.seed.emplace());
     }},
    {"--store", "sqlite or postgres",
     [](ChaosOptions& o, const std::string& text) {
       return read_choice(text, "sqlite", "postgres", o.on_postgres);
     }},
    {"--transport", "database or rabbitmq",
     [](ChaosOptions& o, const std::string& text) {
       return read_choice(text, "database", "rabbitmq", o.with_broker);
     }},
    {"--rate", "a number of jobs a second",
     [](ChaosOptions& o, const std::string& text) { return read_number(text, 1, 100'000, o.rate); }},
    {"--keep", "a folder", [](ChaosOptions& o, const std::string& text) { return !(o.keep = text).empty(); }},
    {"--json", "a file", [](ChaosOptions& o, const std::string& text) { return !(o.json = text).empty(); }},
    {"--judge", "a file", [](ChaosOptions& o, const std::string& text) { return !(o.judge = text).empty(); }},
};

}  // namespace

OptionsRead read_options(const std::vector<std::string>& words) {
  OptionsRead read;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help" || words[i] == "-h") {
      read.options.help = true;
      return read;
    }
    const Flag* known = nullptr;
    for (const Flag& flag : kFlags)
      if (words[i] == flag.name) known = &flag;
    if (known == nullptr) {
      read.trouble = "chaos does not know " + words[i];
      return read;
    }
    if (i + 1 == words.size() || !known->take(read.options, words[i + 1])) {
      read.trouble = words[i] + " wants " + known->wants;
      return read;
    }
    ++i;
  }
  return read;
}

}  // namespace eilbote::chaos
