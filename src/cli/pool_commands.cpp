// pools: what the lanes of a server are limited to, and how to change that while it runs.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>

#include "base/url_escape.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

struct PoolFlags {
  std::string code;
  std::string name, rate, burst, concurrency;  // as typed; empty: not given
  bool create = false;
};

std::string pool_path(const PoolFlags& flags) {
  return "/dispatch-pools/" + url_escaped(flags.code);
}

std::string rate_text(const json::value& pool) {
  const std::string text = member_text(pool, "rateLimitPerMinute");
  return text.empty() ? "unlimited" : text;
}

std::string pools_table(const json::array& pools) {
  static constexpr ViewField kColumns[] = {
      {"CODE", "code"},   {"STATUS", "status"},           {"PER MINUTE", "", rate_text},
      {"BURST", "burst"}, {"CONCURRENCY", "concurrency"}, {"NAME", "name"},
      {"ID", "id"}};
  return fields_table(pools, kColumns);
}

ExitCode list_pools(const ServerFlags& server, const PoolFlags& /*none*/) {
  return ask_list(server, "/dispatch-pools", {"no pools", pools_table});
}

// One pool, as the server answered.
ExitCode tell_pool(const ServerFlags& server, const PoolFlags& flags, const Result<ApiAnswer>& answer) {
  return tell(server, answer, "pool " + flags.code,
              [](const json::value& pool) { return pools_table({pool}); });
}

ExitCode show_pool(const ServerFlags& server, const PoolFlags& flags) {
  return tell_pool(server, flags, ApiClient(server).request({"GET", pool_path(flags), ""}));
}

// A number or "none", into the body; false after having said what is wrong.
bool put_limit(json::object& body, std::string_view field, const char* flag, const std::string& text,
               bool may_be_none) {
  if (text.empty()) return true;
  if (may_be_none && text == "none") {
    body[field] = nullptr;
    return true;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) {
    body[field] = number;
    return true;
  }
  fmt::print(stderr, "eilbote: {} must be a whole number{}, not '{}'\n", flag, may_be_none ? " or none" : "",
             printable(text));
  return false;
}

ExitCode set_pool(const ServerFlags& server, const PoolFlags& flags) {
  json::object body;
  if (!flags.name.empty()) body["name"] = flags.name;
  if (!put_limit(body, "rateLimitPerMinute", "--rate", flags.rate, true) ||
      !put_limit(body, "burst", "--burst", flags.burst, false) ||
      !put_limit(body, "concurrency", "--concurrency", flags.concurrency, true))
    return ExitCode::usage;
  if (body.empty() && !flags.create) {
    fmt::print(stderr, "eilbote: pools set needs something to set: --rate, --burst, --concurrency, --name\n");
    return ExitCode::usage;
  }
  const ApiClient client(server);
  auto answer = client.request({"PUT", pool_path(flags), json::serialize(body)});
  if (answer && answer->status == 404 && flags.create) {
    body["code"] = flags.code;
    answer = client.request({"POST", "/dispatch-pools", json::serialize(body)});
  }
  return tell_pool(server, flags, answer);
}

// A subcommand about one pool.
ServerCommand<PoolFlags> add_of_pool(
    CLI::App& pools, Session& session, const std::string& name, const std::string& help,
    const std::function<ExitCode(const ServerFlags&, const PoolFlags&)>& run) {
  auto command = add_server_command<PoolFlags>(pools, session, name, help, run);
  command.app->add_option("code", command.flags->code, "The pool's code or id")
      ->required()
      ->option_text("CODE");
  return command;
}

void add_pool_set(CLI::App& pools, Session& session) {
  const auto [set, flags] =
      add_of_pool(pools, session, "set", "Change a pool's limits at once; what is not named stays", set_pool);
  set->add_option("--rate", flags->rate, "Deliveries started per minute, or none")->option_text("N|none");
  set->add_option("--burst", flags->burst, "How many may start at once after a pause")->option_text("N");
  set->add_option("--concurrency", flags->concurrency, "Deliveries open at once over all instances, or none")
      ->option_text("N|none");
  set->add_option("--name", flags->name, "Its name for people");
  set->add_flag("--create", flags->create, "Make the pool when there is none of that code");
}

void add_pool_act(CLI::App& pools, Session& session, const std::string& act, const std::string& help) {
  add_of_pool(pools, session, act, help, [act](const ServerFlags& server, const PoolFlags& flags) {
    return tell_pool(server, flags, ApiClient(server).request({"POST", pool_path(flags) + "/" + act, ""}));
  });
}

}  // namespace

void add_pools_command(CLI::App& app, Session& session) {
  // Without a subcommand it is the list, too.
  CLI::App& pools =
      *add_server_command<PoolFlags>(
           app, session, "pools", "Pools: their limits, and how to change, stop and start them", list_pools)
           .app;
  pools.footer(
      "Examples:\n"
      "  eilbote pools\n"
      "  eilbote pools set bulk --rate 600 --burst 10 --concurrency 20 --create\n"
      "  eilbote pools suspend bulk");
  pools.require_subcommand(0, 1);
  add_server_command<PoolFlags>(pools, session, "list", "All pools", list_pools);
  add_of_pool(pools, session, "show", "One pool", show_pool);
  add_pool_set(pools, session);
  add_pool_act(pools, session, "suspend",
               "Start nothing in a pool until it is activated; it goes on accepting");
  add_pool_act(pools, session, "activate", "Let a suspended pool go on");
}

}  // namespace eilbote::cli
