// pools: what the lanes of a server are limited to, and how to change that while it runs.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>

#include "base/url_escape.h"
#include "cli/api_client.h"
#include "cli/command.h"
#include "cli/message_view.h"
#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

struct PoolFlags {
  std::string code;
  std::string name, rate, burst, concurrency;  // as typed; empty: not given
  bool create = false;
};

std::string path_of(const std::string& code) {
  return "/dispatch-pools/" + url_escaped(code);
}

std::string limit_text(const json::value& pool, std::string_view name) {
  const std::string text = member_text(pool, name);
  return text.empty() ? "unlimited" : text;
}

std::string pools_table(const json::array& pools) {
  std::vector<std::vector<std::string>> rows{
      {"CODE", "STATUS", "PER MINUTE", "BURST", "CONCURRENCY", "NAME", "ID"}};
  for (const json::value& pool : pools)
    rows.push_back({member_text(pool, "code"), member_text(pool, "status"),
                    limit_text(pool, "rateLimitPerMinute"), member_text(pool, "burst"),
                    member_text(pool, "concurrency"), member_text(pool, "name"), member_text(pool, "id")});
  return text_table(rows);
}

// One pool, as the server answered.
ExitCode tell_pool(const ApiAnswer& answer, const std::string& code, bool as_json) {
  if (!answer.good()) return tell_refusal(answer, "pool " + code, as_json);
  if (as_json)
    fmt::print("{}\n", answer.body);
  else
    fmt::print("{}", pools_table({answer.json()}));
  return ExitCode::ok;
}

ExitCode ask(const ServerFlags& server, const std::string& code, const ApiRequest& request) {
  const auto answer = ApiClient(server).request(request);
  if (!answer) return tell_unreachable(answer.error());
  return tell_pool(*answer, code, server.json);
}

ExitCode run_list(const ServerFlags& server) {
  const auto answer = ApiClient(server).request({"GET", "/dispatch-pools", ""});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, "", server.json);
  if (server.json) {
    fmt::print("{}\n", answer->body);
    return ExitCode::ok;
  }
  const auto body = answer->json();
  fmt::print("{}", items_of(body).empty() ? "no pools\n" : pools_table(items_of(body)));
  return ExitCode::ok;
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

ExitCode run_set(const ServerFlags& server, const PoolFlags& flags) {
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
  auto answer = client.request({"PUT", path_of(flags.code), json::serialize(body)});
  if (answer && answer->status == 404 && flags.create) {
    body["code"] = flags.code;
    answer = client.request({"POST", "/dispatch-pools", json::serialize(body)});
  }
  if (!answer) return tell_unreachable(answer.error());
  return tell_pool(*answer, flags.code, server.json);
}

using Run = std::function<ExitCode(const ServerFlags&, const PoolFlags&)>;

// A subcommand about one pool.
CLI::App* add_one(CLI::App& pools, Session& session, const std::string& name, const std::string& help,
                  const std::shared_ptr<PoolFlags>& flags, const Run& run) {
  auto* command = pools.add_subcommand(name, help);
  const auto server = add_server_flags(*command, session);
  command->add_option("code", flags->code, "The pool's code or id")->required()->option_text("CODE");
  command->callback([&session, server, flags, run] {
    session.run = [server, flags, run] { return run(*server, *flags); };
  });
  return command;
}

void add_set(CLI::App& pools, Session& session) {
  const auto flags = std::make_shared<PoolFlags>();
  auto* set = add_one(pools, session, "set", "Change a pool's limits at once; what is not named stays", flags,
                      run_set);
  set->add_option("--rate", flags->rate, "Deliveries started per minute, or none")->option_text("N|none");
  set->add_option("--burst", flags->burst, "How many may start at once after a pause")->option_text("N");
  set->add_option("--concurrency", flags->concurrency, "Deliveries open at once over all instances, or none")
      ->option_text("N|none");
  set->add_option("--name", flags->name, "Its name for people");
  set->add_flag("--create", flags->create, "Make the pool when there is none of that code");
}

Run posts(const std::string& act) {
  return [act](const ServerFlags& server, const PoolFlags& flags) {
    return ask(server, flags.code, {"POST", path_of(flags.code) + "/" + act, ""});
  };
}

}  // namespace

void add_pools_command(CLI::App& app, Session& session) {
  auto* pools = app.add_subcommand("pools", "Pools: their limits, and how to change, stop and start them");
  pools->footer(
      "Examples:\n"
      "  eilbote pools\n"
      "  eilbote pools set bulk --rate 600 --burst 10 --concurrency 20 --create\n"
      "  eilbote pools suspend bulk");
  const auto server = add_server_flags(*pools, session);
  pools->require_subcommand(0, 1);
  auto* list = pools->add_subcommand("list", "All pools");
  const auto list_server = add_server_flags(*list, session);
  list->callback([&session, list_server] { session.run = [list_server] { return run_list(*list_server); }; });
  const auto make = [] { return std::make_shared<PoolFlags>(); };
  add_one(*pools, session, "show", "One pool", make(), [](const ServerFlags& flags, const PoolFlags& pool) {
    return ask(flags, pool.code, {"GET", path_of(pool.code), ""});
  });
  add_set(*pools, session);
  add_one(*pools, session, "suspend", "Start nothing in a pool until it is activated; it goes on accepting",
          make(), posts("suspend"));
  add_one(*pools, session, "activate", "Let a suspended pool go on", make(), posts("activate"));
  pools->callback([&session, server, pools] {
    if (pools->get_subcommands().empty()) session.run = [server] { return run_list(*server); };
  });
}

}  // namespace eilbote::cli
