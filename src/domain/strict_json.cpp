#include "domain/strict_json.h"

#include <fmt/format.h>

#include <algorithm>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <cmath>
#include <set>
#include <vector>

namespace eilbote {
namespace {

namespace json = boost::json;
using boost::system::error_code;
using Text = json::string_view;

constexpr std::size_t kFaultsMax = 100;

// What every handler of Boost's parser must say about sizes.
struct Unlimited {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
};

// Builds the value, and counts: an object that ends up with fewer members than were read had one twice, and a
// document of millions of tiny values would take many times its bytes.
struct Builder : Unlimited {
  explicit Builder(json::storage_ptr storage) { stack.reset(std::move(storage)); }

  json::value_stack stack;
  std::size_t members = 0;
  std::size_t values = 0;

  bool count(error_code& ec) {
    if (++values <= kJsonValuesMax) return true;
    ec = json::error::array_too_large;
    return false;
  }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t n, error_code& ec) {
    stack.push_object(n);
    return count(ec);
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t n, error_code& ec) {
    stack.push_array(n);
    return count(ec);
  }
  bool on_key_part(Text s, std::size_t, error_code&) { return stack.push_chars(s), true; }
  bool on_key(Text s, std::size_t, error_code&) {
    ++members;
    stack.push_key(s);
    return true;
  }
  bool on_string_part(Text s, std::size_t, error_code&) { return stack.push_chars(s), true; }
  bool on_string(Text s, std::size_t, error_code& ec) {
    stack.push_string(s);
    return count(ec);
  }
  bool on_number_part(Text, error_code&) { return true; }
  bool on_int64(std::int64_t i, Text, error_code& ec) {
    stack.push_int64(i);
    return count(ec);
  }
  bool on_uint64(std::uint64_t u, Text, error_code& ec) {
    stack.push_uint64(u);
    return count(ec);
  }
  bool on_double(double d, Text, error_code& ec) {
    if (!std::isfinite(d)) {
      ec = json::error::exponent_overflow;
      return false;
    }
    stack.push_double(d);
    return count(ec);
  }
  bool on_bool(bool b, error_code& ec) {
    stack.push_bool(b);
    return count(ec);
  }
  bool on_null(error_code& ec) {
    stack.push_null();
    return count(ec);
  }
  bool on_comment_part(Text, error_code&) { return true; }
  bool on_comment(Text, error_code&) { return true; }
};

// Walks a text again, only to say which members are there twice.
struct TwinFinder : Unlimited {
  struct Frame {
    bool is_object = false;
    std::set<std::string> names;
    std::string name;
    std::size_t index = 0;
  };
  std::vector<Frame> frames;
  std::string partial;
  std::vector<Fault> faults;

  std::string pointer() const {
    std::string text;
    for (const Frame& frame : frames)
      text += "/" + (frame.is_object ? pointer_step(frame.name) : std::to_string(frame.index));
    return text;
  }
  bool begin(bool is_object) {
    frames.push_back({is_object, {}, {}, 0});
    return true;
  }
  bool value() {
    if (!frames.empty()) ++frames.back().index;
    return true;
  }
  bool end() {
    frames.pop_back();
    return value();
  }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return begin(true); }
  bool on_object_end(std::size_t, error_code&) { return end(); }
  bool on_array_begin(error_code&) { return begin(false); }
  bool on_array_end(std::size_t, error_code&) { return end(); }
  bool on_key_part(Text s, std::size_t, error_code&) { return partial.append(s.data(), s.size()), true; }
  bool on_key(Text s, std::size_t, error_code&) {
    partial.append(s.data(), s.size());
    Frame& frame = frames.back();
    frame.name = std::exchange(partial, {});
    if (!frame.names.insert(frame.name).second && faults.size() < kFaultsMax)
      faults.push_back({pointer(), "is given twice"});
    return true;
  }
  bool on_string_part(Text, std::size_t, error_code&) { return true; }
  bool on_string(Text, std::size_t, error_code&) { return value(); }
  bool on_number_part(Text, error_code&) { return true; }
  bool on_int64(std::int64_t, Text, error_code&) { return value(); }
  bool on_uint64(std::uint64_t, Text, error_code&) { return value(); }
  bool on_double(double, Text, error_code&) { return value(); }
  bool on_bool(bool, error_code&) { return value(); }
  bool on_null(error_code&) { return value(); }
  bool on_comment_part(Text, error_code&) { return true; }
  bool on_comment(Text, error_code&) { return true; }
};

json::parse_options options() {
  json::parse_options strict;
  strict.max_depth = kJsonDepthMax;
  return strict;
}

std::size_t count_members(const json::value& value) {
  std::size_t count = 0;
  if (const auto* object = value.if_object()) {
    count = object->size();
    for (const auto& member : *object)
      count += count_members(member.value());
  } else if (const auto* array = value.if_array()) {
    for (const auto& item : *array)
      count += count_members(item);
  }
  return count;
}

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

void find_nul(const json::value& value, const std::string& pointer, std::vector<Fault>& faults) {
  if (faults.size() >= kFaultsMax) return;
  if (const auto* text = value.if_string()) {
    if (has_nul({text->data(), text->size()})) faults.push_back({pointer, "must not contain U+0000"});
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      const std::string_view name(member.key().data(), member.key().size());
      if (has_nul(name)) faults.push_back({pointer, "a member's name must not contain U+0000"});
      find_nul(member.value(), pointer + "/" + pointer_step(name), faults);
    }
  } else if (const auto* array = value.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      find_nul((*array)[i], pointer + "/" + std::to_string(i), faults);
  }
}

std::string reason(const error_code& ec) {
  if (ec == json::error::incomplete) return "the text ends too early";
  if (ec == json::error::too_deep) return fmt::format("nested deeper than {} levels", kJsonDepthMax);
  if (ec == json::error::extra_data) return "there is more after the end of the value";
  if (ec == json::error::array_too_large) return fmt::format("more than {} values", kJsonValuesMax);
  if (ec == json::error::exponent_overflow) return "the number is out of range";
  return ec.message();
}

std::string broken(std::string_view text, std::size_t offset, const error_code& ec) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto newline = before.rfind('\n');
  const std::size_t column = offset - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return fmt::format("line {}, column {} (offset {}): {}", line, column, offset, reason(ec));
}

}  // namespace

tl::expected<json::value, JsonTrouble> parse_strict_json(std::string_view text, json::storage_ptr storage) {
  json::basic_parser<Builder> parser(options(), std::move(storage));
  error_code ec;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && read < text.size()) ec = json::error::extra_data;
  if (ec) return tl::unexpected(JsonTrouble{broken(text, read, ec), {}});
  json::value value = parser.handler().stack.release();
  std::vector<Fault> faults;
  if (parser.handler().members != count_members(value)) {
    json::basic_parser<TwinFinder> again(options());
    again.write_some(false, text.data(), text.size(), ec);
    faults = std::move(again.handler().faults);
  }
  // Only an escape can bring U+0000 in; most documents have none and are not walked.
  if (text.find("\\u0000") != std::string_view::npos) find_nul(value, "", faults);
  if (!faults.empty()) return tl::unexpected(JsonTrouble{{}, std::move(faults)});
  return value;
}

}  // namespace eilbote
