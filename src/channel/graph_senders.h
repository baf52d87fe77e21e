// Which mailboxes mails may leave from: the list of EILBOTE_GRAPH_SENDERS.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eilbote {

// `senders`: addresses, or "*@domain"; empty: every mailbox.
bool is_graph_sender(const std::vector<std::string>& senders, std::string_view mailbox);
// The first that names one mailbox; empty: none does.
std::string first_graph_mailbox(const std::vector<std::string>& senders);

}  // namespace eilbote
