// The rows of the option table about the web console.
#include "config/option_kinds.h"
#include "config/option_sections.h"

namespace eilbote {
namespace {

constexpr std::string_view kConsoleSection = "Console";

// A function for the option's kind: where its field is.
template <class Field>
auto in_console(Field ConsoleConfig::*field) {
  return [field](Config& config) -> Field& { return config.console.*field; };
}

}  // namespace

void add_console_options(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_CONSOLE", "console.enabled", kConsoleSection, "on",
       kinds::on_off(in_console(&ConsoleConfig::on)),
       "Whether there is a web console at /console; `off`: 404. On instances with the role api or all."});
  table.push_back(
      {"EILBOTE_CONSOLE_CLIENT_ID", "console.client_id", kConsoleSection, "",
       kinds::text(in_console(&ConsoleConfig::client_id)),
       "The console's name as a public client at the issuer (authorization code with PKCE, no secret), "
       "with /console/login of this server as its redirect URI; needed with EILBOTE_AUTH=oidc."});
  table.push_back({"EILBOTE_CONSOLE_SCOPE", "console.scope", kConsoleSection, "openid ops.read ops.admin",
                   kinds::text(in_console(&ConsoleConfig::scope)),
                   "What the console asks the issuer for; people get of it what they may have."});
  table.push_back({.key = "EILBOTE_CONSOLE_AUDIENCE",
                   .toml = "console.audience",
                   .section = kConsoleSection,
                   .fallback = "",
                   .kind = kinds::text(in_console(&ConsoleConfig::audience)),
                   .help = "Whom the console's tokens are for, sent to the issuer as `audience` and "
                           "`resource`; `none` for an "
                           "issuer that takes neither.",
                   .computed = [](const Config& config, const Surroundings&) { return config.oidc.audience; },
                   .computed_text = "EILBOTE_OIDC_AUDIENCE"});
}

}  // namespace eilbote
