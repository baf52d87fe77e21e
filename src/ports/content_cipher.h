// Contents on their way into the database and back: sealed under the data key, bound to their row. Implemented in src/secrets;
// used by store/sealed_outbox and by `eilbote rekey`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/ids.h"
#include "domain/mail_meta.h"

namespace eilbote {

// Which content of the row; a sealed one opens only as what it was sealed as.
enum class ContentPart : char { mime = 'm', subject = 's', payload = 'p' };

// What everything sealed begins with, and no MIME text; a payload that does may be sealed.
inline constexpr char kSealMark = '\1';
// The one way JSON can write it: a text without this holds nothing sealed.
inline constexpr std::string_view kSealMarkInJson = "\\u0001";

class ContentCipher {
 public:
  virtual ~ContentCipher() = default;

  // False: there is no key to seal with, and contents stay as they are.
  virtual bool seals() const = 0;

  virtual std::string seal(JobId row, ContentPart part, std::string_view content) const = 0;
  // What was never sealed comes back as it is. Nothing: it does not open, because its key is not here, or it was changed
  // or moved from another row.
  virtual std::optional<std::string> open(JobId row, ContentPart part, std::string_view stored) const = 0;

  // The same for columns that hold text.
  virtual std::string seal_text(JobId row, ContentPart part, std::string_view content) const = 0;
  virtual std::optional<std::string> open_text(JobId row, ContentPart part,
                                               std::string_view stored) const = 0;

  // The name of the key that seals; it says nothing about the key.
  virtual std::string key_id() const = 0;
  // Whether what was sealed under the key of this name opens.
  virtual bool knows(std::string_view key_id) const = 0;
  // What everything sealed under the current key begins with in its column, in hexadecimal.
  virtual std::string head_in_hex(ContentPart part) const = 0;
};

// Shown in place of a subject or a payload that does not open.
inline constexpr std::string_view kUnreadable = "(unreadable: its data key is not here)";

// A mail's meta with its subject sealed, or opened; as it was, byte by byte, when there is nothing to seal or to open.
inline std::string with_sealed_subject(const ContentCipher& cipher, JobId row, std::string meta) {
  return with_subject(std::move(meta), [&](std::string_view subject) {
    return cipher.seal_text(row, ContentPart::subject, subject);
  });
}
inline std::string with_open_subject(const ContentCipher& cipher, JobId row, std::string meta) {
  // Most rows of most databases: a list looks at many, and should not parse them for nothing.
  if (meta.find(kSealMarkInJson) == std::string::npos) return meta;
  return with_subject(std::move(meta), [&](std::string_view subject) {
    return cipher.open_text(row, ContentPart::subject, subject).value_or(std::string(kUnreadable));
  });
}

}  // namespace eilbote
