// Reading the members of a JSON object by a table of fields, gathering all faults instead of stopping at the
// first. Unknown members are refused by name, with the nearest right one.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/time.h"
#include "domain/fault.h"

namespace eilbote {

// A place in the document that is being read: a chain of steps on the stack, spelled out only when something
// is wrong.
class Place {
 public:
  explicit Place(std::vector<Fault>& faults) : faults_(faults) {}
  Place(const Place& parent, std::string_view name)
      : faults_(parent.faults_), parent_(&parent), name_(name) {}
  Place(const Place& parent, std::size_t index) : faults_(parent.faults_), parent_(&parent), index_(index) {}

  std::string pointer() const;
  void fault(std::string detail) const;

 private:
  std::vector<Fault>& faults_;
  const Place* parent_ = nullptr;
  std::string_view name_;
  std::optional<std::size_t> index_;
};

// No answer lists more faults than this.
inline constexpr std::size_t kFaultsShownMax = 100;

// Each returns nothing after having said what is wrong.
std::optional<std::string> read_text(const boost::json::value& value, const Place& place);
std::optional<bool> read_flag(const boost::json::value& value, const Place& place);
std::optional<double> read_number(const boost::json::value& value, const Place& place, double min,
                                  double max);
std::optional<std::int64_t> read_integer(const boost::json::value& value, const Place& place,
                                         std::int64_t min, std::int64_t max);
std::optional<TimePoint> read_time(const boost::json::value& value, const Place& place);
const boost::json::object* read_object(const boost::json::value& value, const Place& place);
const boost::json::array* read_array(const boost::json::value& value, const Place& place,
                                     std::size_t items_max);

template <class Enum, std::size_t N>
std::optional<Enum> read_enum(const boost::json::value& value, const Place& place,
                              const EnumNames<Enum, N>& names) {
  const auto text = read_text(value, place);
  if (!text) return std::nullopt;
  const auto found = names.parse(*text);
  if (!found) place.fault("must be one of: " + names.list());
  return found;
}

void unknown_field(const Place& place, std::string_view name, std::span<const std::string_view> known);

// The rules' faults, without those about a place whose type was wrong already: they would say the same thing
// twice.
void add_rules_faults(std::vector<Fault>& faults, std::vector<Fault> more);

template <class Target>
struct FieldRow {
  std::string_view name;
  void (*read)(Target& target, const boost::json::value& value, const Place& place);
};

// Every member through its row; returns false when the value is not an object.
template <class Target, std::size_t N>
bool read_fields(const boost::json::value& value, const Place& place, const FieldRow<Target> (&rows)[N],
                 Target& target) {
  const boost::json::object* object = read_object(value, place);
  if (object == nullptr) return false;
  for (const auto& member : *object) {
    const std::string_view name(member.key().data(), member.key().size());
    const FieldRow<Target>* found = nullptr;
    for (const FieldRow<Target>& row : rows)
      if (row.name == name) found = &row;
    if (found != nullptr) {
      found->read(target, member.value(), Place(place, name));
      continue;
    }
    std::string_view known[N];
    for (std::size_t i = 0; i < N; ++i)
      known[i] = rows[i].name;
    unknown_field(place, name, known);
  }
  return true;
}

}  // namespace eilbote
