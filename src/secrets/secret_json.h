// JSON as secret stores answer it: the secret in it, and what it says about an error. Used by the stores.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "domain/json_members.h"
#include "secrets/secret_store.h"

namespace eilbote {

// The secret under `key` in this object: a text, or a number or truth value as one would write it.
FromStore<Secret> secret_in(const boost::json::value& object, std::string_view key);
// `text` itself when no key is asked for, else the member of the JSON object it is.
FromStore<Secret> secret_in_text(std::string text, std::string_view key);

// What another program says about an error, fit for one line of a log.
std::string one_line(std::string_view text);

}  // namespace eilbote
