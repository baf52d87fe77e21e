#include "base/hide.h"

namespace eilbote {

void hide(std::string& text, std::string_view secret) {
  constexpr std::string_view kMask = "***";
  if (secret.empty()) return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + kMask.size()))
    text.replace(at, secret.size(), kMask);
}

}  // namespace eilbote
