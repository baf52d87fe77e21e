#include "domain/json_text.h"

#include <boost/json/basic_parser_impl.hpp>

namespace eilbote {
namespace {

namespace json = boost::json;
using boost::system::error_code;
using Text = json::string_view;

// Lets everything pass: the parser alone decides.
struct Reader {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t, error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t, error_code&) { return true; }
  bool on_key_part(Text, std::size_t, error_code&) { return true; }
  bool on_key(Text, std::size_t, error_code&) { return true; }
  bool on_string_part(Text, std::size_t, error_code&) { return true; }
  bool on_string(Text, std::size_t, error_code&) { return true; }
  bool on_number_part(Text, error_code&) { return true; }
  bool on_int64(std::int64_t, Text, error_code&) { return true; }
  bool on_uint64(std::uint64_t, Text, error_code&) { return true; }
  bool on_double(double, Text, error_code&) { return true; }
  bool on_bool(bool, error_code&) { return true; }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(Text, error_code&) { return true; }
  bool on_comment(Text, error_code&) { return true; }
};

}  // namespace

std::optional<JsonTextFault> find_json_fault(std::string_view text) {
  json::parse_options options;
  options.max_depth = kJsonTextDepthMax;
  json::basic_parser<Reader> parser(options);
  error_code trouble;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), trouble);
  if (trouble) return JsonTextFault{read, trouble.message()};
  // The parser stops at the end of the value; only blanks may follow.
  const std::size_t rest = text.find_first_not_of(" \t\r\n", read);
  if (rest != std::string_view::npos) return JsonTextFault{rest, "extra data"};
  return std::nullopt;
}

}  // namespace eilbote
