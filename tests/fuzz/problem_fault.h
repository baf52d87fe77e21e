// What is wrong with a problem that a parser of the API answers: it is the client's fault, says so in words that can be sent,
// and says what would be right at every place. Used by the targets of the API.
#pragma once

#include <string>

#include "api/json_document.h"
#include "api/problem.h"
#include "base/utf8.h"
#include "domain/json_members.h"

namespace eilbote::fuzz {

inline std::string problem_fault(const Problem& problem) {
  if (problem.status() < 400 || problem.status() > 499) return "a client's fault that is none";
  const std::string json = to_json(problem, {"/messages", "4bf92f3577b34da6a3ce929d0e0e4736"});
  if (!is_utf8(json) || !parse_json(json).is_object()) return "a problem that is no JSON: " + json;
  if (problem.detail.empty()) return "refused without a word";
  for (const Fault& fault : problem.errors) {
    if (fault.detail.empty()) return "a fault without a word at " + fault.pointer;
    if (!fault.pointer.empty() && fault.pointer.front() != '/') return "no JSON pointer: " + fault.pointer;
  }
  return {};
}

}  // namespace eilbote::fuzz
