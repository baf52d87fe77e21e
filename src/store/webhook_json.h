// How a webhook job's content lies in the database as JSON, by its names in the API; the same in both stores. The
// payload lies in a column of its own.
#pragma once

#include <string>
#include <string_view>

#include "domain/webhook.h"

namespace eilbote {

std::string webhook_to_json(const Webhook& webhook);
// Without the payload.
Webhook webhook_from_json(std::string_view json);

}  // namespace eilbote
