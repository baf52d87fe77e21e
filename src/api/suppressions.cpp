// /suppressions: the addresses a client's mails no longer go to. Bounces put them there; people see them, add some and take
// them off again, on the audit record in the same transaction. A client sees its own list only; changing one is for operators.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/audit.h"
#include "api/handlers.h"
#include "api/json_body.h"
#include "api/json_out.h"
#include "api/limits.h"
#include "api/query_fields.h"
#include "api/query_parameters.h"
#include "base/url_escape.h"
#include "base/utf8.h"
#include "domain/address.h"
#include "domain/report_rules.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

json::object suppression_json(const Suppression& entry) {
  json::object out;
  out["clientId"] = entry.client.value();
  out["address"] = entry.address;
  out["reason"] = entry.reason;
  out["messageId"] = entry.job ? text_or_null(to_text(*entry.job)) : json::value();
  out["since"] = to_rfc3339(entry.since);
  return out;
}

std::string audit_target(const std::string& address) {
  return "suppression:" + address;
}

// ---- list ----

// "client/address", each percent-encoded, so that neither can hold the stroke between them.
std::string cursor_after(const Suppression& entry) {
  return url_escaped(entry.client.value()) + "/" + url_escaped(entry.address);
}

std::string set_after(SuppressionQuery& query, QueryKey, QueryValue value) {
  const auto stroke = value.find('/');
  if (stroke != std::string::npos) {
    const auto client = url_unescaped(std::string_view(value).substr(0, stroke));
    const auto address = url_unescaped(std::string_view(value).substr(stroke + 1));
    const auto is_text = [](const auto& part) {
      return part && !part->empty() && is_utf8(*part) && part->find('\0') == std::string::npos;
    };
    if (is_text(client) && is_text(address)) {
      query.after.emplace(ClientName{*client}, *address);
      return "";
    }
  }
  return kNoCursor;
}

template <class Query>
std::string set_client(Query& query, QueryKey, QueryValue value) {
  std::string name;
  std::string wrong = set_text(name, value, kGroupNameMax);
  if (wrong.empty()) query.client = ClientName{name};
  return wrong;
}

std::string set_address(SuppressionQuery& query, QueryKey, QueryValue value) {
  if (const auto address = parse_address(value); !address) return address.error().message;
  query.address = normal_address(value);
  return "";
}

constexpr QueryRow<SuppressionQuery> kListParameters[] = {
    {"clientId", set_client<SuppressionQuery>},
    {"address", set_address},
    {"limit", [](SuppressionQuery& q, QueryKey, QueryValue v) { return set_page_limit(q.limit, v); }},
    {"cursor", set_after},
};

void reply_page(const CallPtr& call, SuppressionQuery query) {
  const auto wanted = static_cast<std::size_t>(query.limit++);  // one more says whether there is more
  auto entries = call->context.suppressions.suppressions(query);
  if (!entries) return call->reply(to_problem(entries.error()));
  const bool more = entries->size() > wanted;
  if (more) entries->resize(wanted);
  std::optional<std::string> next;
  if (more) next = cursor_after(entries->back());
  call->reply_json(200, page_json(*entries, suppression_json, next));
}

// ---- add ----

constexpr const char* kNoReason = "a person put it here";

std::optional<std::string> read_line(const json::value& value, const Place& place, std::size_t bytes_max) {
  auto text = read_text(value, place);
  if (!text) return std::nullopt;
  const bool is_line = std::ranges::none_of(*text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (!text->empty() && text->size() <= bytes_max && is_line) return text;
  place.fault(fmt::format("must be one line of 1 to {} bytes", bytes_max));
  return std::nullopt;
}

void read_address(Suppression& entry, const json::value& value, const Place& place) {
  const auto text = read_text(value, place);
  if (!text) return;
  if (const auto address = parse_address(*text); !address) return place.fault(address.error().message);
  entry.address = normal_address(*text);
}

constexpr FieldRow<Suppression> kEntryFields[] = {
    {"address", read_address},
    {"reason", [](Suppression& entry, const json::value& v,
                  const Place& p) { entry.reason = read_line(v, p, kSuppressionReasonMax).value_or(""); }},
    {"clientId",
     [](Suppression& entry, const json::value& v, const Place& p) {
       if (const auto name = read_line(v, p, kGroupNameMax)) entry.client = ClientName{*name};
     }},
};

// As it is on the list now, whoever put it there.
void reply_entry(const CallPtr& call, int status, const Suppression& wanted) {
  const auto found = call->context.suppressions.suppressions(
      {.client = wanted.client, .address = wanted.address, .limit = 1});
  if (!found) return call->reply(to_problem(found.error()));
  const Suppression& shown = found->empty() ? wanted : found->front();  // taken off again meanwhile
  call->reply_json(status, json::serialize(suppression_json(shown)));
}

// ---- remove ----

struct RemoveQuery {
  std::optional<ClientName> client;
};
constexpr QueryRow<RemoveQuery> kRemoveParameters[] = {{"clientId", set_client<RemoveQuery>}};

}  // namespace

std::vector<std::string_view> suppression_parameters() {
  return names_of<SuppressionQuery>(kListParameters);
}

std::vector<std::string_view> suppression_removal_parameters() {
  return names_of<RemoveQuery>(kRemoveParameters);
}

void list_suppressions(const CallPtr& call) {
  SuppressionQuery all;
  all.limit = kPageDefault;
  auto query = read_query(call->target.query, kListParameters, all);
  if (!query) return call->reply(query.error());
  if (const auto only = call->caller.only()) {
    // Another client's list is as empty as one that never was.
    if (query->client && *query->client != *only)
      return call->reply_json(200, page_json(std::vector<Suppression>(), suppression_json, std::nullopt));
    query->client = only;
  }
  call->on_worker([call, query = std::move(*query)] { reply_page(call, query); });
}

void post_suppression(const CallPtr& call) {
  Suppression entry;
  entry.client = call->caller.client();
  entry.since = call->context.clock.now();
  entry.reason = kNoReason;
  if (!read_body(*call, kEntryFields, entry)) return;
  if (entry.address.empty()) return call->reply(invalid({{"/address", "is required"}}));
  call->on_worker([call, entry = std::move(entry)] {
    json::object shown = suppression_json(entry);
    shown.erase("since");
    const auto added = call->context.suppressions.suppress(
        entry, audit_entry(*call, "suppression.add", audit_target(entry.address), {}, shown));
    if (!added) return call->reply(to_problem(added.error()));
    reply_entry(call, *added ? 201 : 200, entry);
  });
}

void delete_suppression(const CallPtr& call) {
  const auto query = read_query(call->target.query, kRemoveParameters, RemoveQuery{});
  if (!query) return call->reply(query.error());
  const std::string& address = call->params.at(0);
  if (!parse_address(address))
    return call->reply(invalid({{"", "the path must end in an address, percent-encoded"}}));
  const ClientName client = query->client.value_or(call->caller.client());
  call->on_worker([call, client, address = normal_address(address)] {
    const json::object gone{{"clientId", client.value()}};
    const auto removed = call->context.suppressions.unsuppress(
        client, address, audit_entry(*call, "suppression.remove", audit_target(address), {}, gone));
    if (!removed) return call->reply(to_problem(removed.error()));
    if (!*removed)
      return call->reply(Problem{ProblemKind::not_found,
                                 "this address is not on the client's list; GET /suppressions shows it, and "
                                 "clientId says whose list is meant",
                                 {}});
    call->reply_json(204, "");
  });
}

}  // namespace eilbote
