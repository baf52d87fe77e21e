// Stored contents as they lie there, sealed or not, and which keys they were sealed under. For the start, which refuses to
// begin without a key that is needed, and for `eilbote rekey`. Implemented by both stores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/ids.h"
#include "domain/names.h"

namespace eilbote {

struct StoredHead {
  JobId id;
  bool is_current = false;  // begins as asked for
  std::int64_t bytes = 0;
};
struct StoredContent {
  JobId id;
  std::string content;  // MIME bytes, or the payload
  std::string meta;     // of a mail
};

struct IdRange {
  JobId first, last;  // both 0: none
};

class ContentRows {
 public:
  virtual ~ContentRows() = default;

  virtual Result<std::vector<std::string>> key_ids() = 0;
  virtual Result<void> add_key_id(const std::string& key_id) = 0;
  // Nothing is sealed under any other any more.
  virtual Result<void> keep_only_key_id(const std::string& key_id) = 0;

  // From which id to which there are rows. Ids grow with time, so this tells how far along one is, without counting.
  virtual Result<IdRange> ids(ChannelKind channel) = 0;
  // The next rows after this id, in the order of ids.
  virtual Result<std::vector<StoredHead>> heads(ChannelKind channel, std::string_view head, JobId after,
                                                int limit) = 0;
  virtual Result<std::vector<StoredContent>> load(ChannelKind channel, std::span<const JobId> ids) = 0;
  // All or none.
  virtual Result<void> replace(ChannelKind channel, std::span<const StoredContent> contents) = 0;
};

}  // namespace eilbote
