#include "api/callback.h"

#include "api/outbound_target.h"

namespace eilbote {

std::optional<Problem> settle_callback(const ApiContext& context, Mail& mail, const ClientName& client,
                                       std::chrono::milliseconds& patience) {
  if (!mail.callback) return std::nullopt;
  if (auto problem = check_target(context, mail.callback->url, "/callback/url", patience)) return problem;
  std::string& account = mail.callback->service_account_id;
  if (account.empty()) {
    const auto own = context.credentials.default_account(client);
    if (!own) return to_problem(own.error());
    if (!*own)
      return invalid(
          {{"/callback/serviceAccountId",
            "is required: you have no default service account that callbacks could be signed with"}});
    account = **own;
    return std::nullopt;
  }
  const auto checked = context.credentials.check(account, client);
  if (!checked && checked.error().kind != ErrorKind::invalid) return to_problem(checked.error());
  if (!checked)
    return Problem{ProblemKind::unknown_account,
                   "/callback/serviceAccountId: " + checked.error().message,
                   {{"/callback/serviceAccountId", checked.error().message}}};
  return std::nullopt;
}

}  // namespace eilbote
