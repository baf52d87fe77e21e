// Host names as the DNS knows them. Used for the domains of e-mail addresses and the hosts of webhook URLs. Pure: no DNS
// is asked.
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

// The A-labels, in lower case, of a name with non-ASCII or "xn--" labels (UTS #46 non-transitional, IDNA2008); empty:
// refused.
std::string a_labels(std::string_view name);

// A plain ASCII name with a label that claims to be an A-label.
bool has_ace_label(std::string_view lower_case_name);

// Labels of letters, digits and inner hyphens, 1 to 63 octets each. `extra`: characters that may stand in a label too.
bool is_host_name(std::string_view name, std::string_view extra = {});

// Names never end so; addresses do.
bool last_label_is_number(std::string_view name);

}  // namespace eilbote
