// How a list is found, the same in both stores: which index gives the candidates, and whether a candidate fits.
#pragma once

#include <optional>
#include <string>

#include "domain/public_state.h"
#include "ports/outbox.h"
#include "store/content_json.h"

namespace eilbote {

// Where candidates come from, the narrowest first; each is the statement list_ids_NAME of both
// dialects, in a table of each store's list.cpp.
enum class ListSource { facet, ended, reported, retrying, errors, all_mails, all_webhooks };
inline constexpr std::size_t kListSources = static_cast<std::size_t>(ListSource::all_webhooks) + 1;

struct ListPlan {
  ListSource source = ListSource::all_mails;
  FacetKind facet = FacetKind::recipient;  // source facet
  std::string value;                       // source facet: the facet's; ended, reported: which
};
ListPlan plan_list(const ListQuery& query);

// Every filter again, on the row itself: an index may have answered too much (hashes), or the row moved on
// meanwhile.
bool matches(const JobRecord& record, const ListQuery& query, const WebhookView& view);

}  // namespace eilbote
