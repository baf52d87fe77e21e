// How the query of a GET is read: a table of the parameters a list takes, and one reader for all of them that tells every
// fault at once and what an unknown name was probably meant to be. The lists' handlers bring the tables; the setters that
// more than one of them needs are here. (json_fields.h does the same for bodies.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/limits.h"
#include "api/problem.h"
#include "api/query_string.h"
#include "base/time.h"
#include "domain/ids.h"

namespace eilbote {

using QueryKey = std::string_view;  // what follows the dot of a name such as metadata.KEY; else empty
using QueryValue = const std::string&;

template <class Query>
struct QueryRow {
  std::string_view name;  // ending in ".": stands for every name that begins so
  // The returned text says what would be right; empty when all is well.
  std::string (*set)(Query& query, QueryKey key, QueryValue value);

  bool is_for(std::string_view given) const {
    return name.ends_with('.') ? given.starts_with(name) : given == name;
  }
};
template <class Query>
using QueryTable = std::span<const QueryRow<Query>>;

template <class Query>
std::vector<std::string_view> names_of(QueryTable<Query> table) {
  std::vector<std::string_view> names;
  for (const QueryRow<Query>& row : table)
    names.push_back(row.name);
  return names;
}

// Null: there is no parameter of this name.
template <class Query>
const QueryRow<Query>* row_for(QueryTable<Query> table, std::string_view given) {
  for (const QueryRow<Query>& row : table)
    if (row.is_for(given)) return &row;
  return nullptr;
}

template <class Query>
std::string set_by(const QueryRow<Query>& row, Query& query, std::string_view given,
                   const std::string& value) {
  return row.set(query, given.substr(row.name.size()), value);
}

Fault unknown_parameter(std::string_view given, std::span<const std::string_view> known);
Fault wrong_parameter(std::string_view given, std::string_view wrong);

// `query` as it is without parameters, changed by those in `text` (without '?').
template <class Query>
tl::expected<Query, Problem> read_query(std::string_view text, std::type_identity_t<QueryTable<Query>> table,
                                        Query query) {
  const auto pairs = parse_query(text);
  if (!pairs) return tl::unexpected(to_problem(pairs.error()));
  std::vector<Fault> faults;
  for (const auto& [name, value] : *pairs) {
    const QueryRow<Query>* row = row_for<Query>(table, name);
    if (row == nullptr)
      faults.push_back(unknown_parameter(name, names_of<Query>(table)));
    else if (const std::string wrong = set_by(*row, query, name, value); !wrong.empty())
      faults.push_back(wrong_parameter(name, wrong));
  }
  if (!faults.empty()) return tl::unexpected(invalid(std::move(faults)));
  return query;
}

// Setters, as QueryRow::set: empty, or what would be right.
std::string set_text(std::string& into, const std::string& value, std::size_t bytes_max = kFilterTextMax);
std::string set_time(std::optional<TimePoint>& into, const std::string& value);
// `limit` of any list.
std::string set_page_limit(int& limit, std::string_view value);
// What is said of a cursor that is none.
inline constexpr const char* kNoCursor = "must be the nextCursor of an earlier page";
// `cursor`: the last id or number of the page before.
std::string set_cursor(std::optional<JobId>& before, const std::string& value);
std::string set_cursor(std::optional<std::int64_t>& before, const std::string& value);

}  // namespace eilbote
