// Whatever a secret store answers: a secret that is one, or a trouble in words without the answer in them.
#include "fuzz/fuzz.h"
#include "secrets/secret_json.h"

namespace eilbote::fuzz {

std::string secret_answer_fuzz(std::string_view bytes) {
  for (const std::string_view key : {"", "password"}) {
    const auto secret = secret_in_text(std::string(bytes), key);
    if (secret && secret->empty()) return "a secret that is none";
    if (!secret && secret.error().error.message.empty()) return "refused without a word";
  }
  const std::string line = one_line(bytes);
  if (line.size() > 200 || line.find_first_of("\r\n\t") != std::string::npos) return "more than a line";
  return {};
}

}  // namespace eilbote::fuzz
