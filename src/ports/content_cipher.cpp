// The subject inside a mail's meta, sealed and opened; the same for the outbox and for rekey.
#include "ports/content_cipher.h"

#include <boost/json.hpp>

namespace eilbote {
namespace {

namespace json = boost::json;

// Shown in place of a subject that does not open.
constexpr std::string_view kUnreadable = "(unreadable: its data key is not here)";

template <class Change>
std::string with_subject(const std::string& meta, Change change) {
  boost::system::error_code failed;
  json::value value = json::parse(meta, failed);
  if (failed || !value.is_object()) return meta;
  json::value* subject = value.get_object().if_contains("subject");
  if (subject == nullptr || !subject->is_string() || subject->get_string().empty()) return meta;
  *subject = change(std::string_view(subject->get_string()));
  return json::serialize(value);
}

}  // namespace

std::string with_sealed_subject(const ContentCipher& cipher, JobId row, const std::string& meta) {
  return with_subject(
      meta, [&](std::string_view subject) { return cipher.seal_text(row, ContentPart::subject, subject); });
}

std::string with_open_subject(const ContentCipher& cipher, JobId row, const std::string& meta) {
  return with_subject(meta, [&](std::string_view subject) {
    return cipher.open_text(row, ContentPart::subject, subject).value_or(std::string(kUnreadable));
  });
}

}  // namespace eilbote
