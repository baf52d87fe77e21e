// The query parameters of what has no filter table (those are in api/list_filter.h): the names the handlers read. A test holds them against docs/openapi.yaml.
#pragma once

#include <string_view>
#include <vector>

namespace eilbote {

std::vector<std::string_view> audit_parameters();
std::vector<std::string_view> graph_webhook_parameters();
std::vector<std::string_view> message_group_parameters();
std::vector<std::string_view> report_parameters();
std::vector<std::string_view> service_account_parameters();
std::vector<std::string_view> suppression_parameters();
std::vector<std::string_view> suppression_removal_parameters();  // of DELETE

}  // namespace eilbote
