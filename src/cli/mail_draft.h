// The JSON of POST /messages, put together from flags and files. Pure but for reading the files named.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace eilbote::cli {

struct MailDraft {
  std::string file{};  // JSON to start from; "-": standard input
  std::string from{}, subject{}, text{}, html{};
  std::vector<std::string> to{}, cc{}, bcc{}, reply_to{}, tags{}, attachments{};
  std::string campaign_id{}, pool{}, group{}, scheduled_for{};
};

// What flags say replaces what the file says, field by field. The server checks the rest.
Result<boost::json::object> build_mail(const MailDraft& draft);

// "Ada Lovelace <ada@example.org>" -> {"email","name"}; a bare address stays a text.
boost::json::value address_json(std::string_view text);

// Without padding.
std::string base64url(std::string_view bytes);

// By the file's ending; application/octet-stream when it is not known.
std::string_view content_type_of(std::string_view file_name);

}  // namespace eilbote::cli
