#include "channel/graph_senders.h"

#include <algorithm>

#include "base/ascii.h"

namespace eilbote {
namespace {

bool names_many(std::string_view sender) {
  return sender.starts_with("*@");
}

bool names(std::string_view sender, std::string_view mailbox) {
  if (!names_many(sender)) return same_but_for_case(sender, mailbox);
  const std::size_t at = mailbox.rfind('@');
  return at != std::string_view::npos && same_but_for_case(sender.substr(1), mailbox.substr(at));
}

}  // namespace

bool is_graph_sender(const std::vector<std::string>& senders, std::string_view mailbox) {
  return senders.empty() || std::any_of(senders.begin(), senders.end(),
                                        [&](const std::string& one) { return names(one, mailbox); });
}

std::string first_graph_mailbox(const std::vector<std::string>& senders) {
  const auto found =
      std::find_if(senders.begin(), senders.end(), [](const std::string& one) { return !names_many(one); });
  return found == senders.end() ? "" : *found;
}

}  // namespace eilbote
