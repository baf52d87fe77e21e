// Machine-readable contracts of other people's services, in the folder that EILBOTE_CONTRACTS names. Tests that need one and do
// not find it are left out, and say so.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <boost/json.hpp>

namespace eilbote::test {

// A file of the folder as it is; nothing (and a loud line on standard error) when there is none.
inline std::optional<std::string> contract_bytes(const std::string& name) {
  const char* folder = std::getenv("EILBOTE_CONTRACTS");
  std::ifstream in(std::string(folder == nullptr ? "" : folder) + "/" + name, std::ios::binary);
  if (folder == nullptr || !in) {
    std::fprintf(stderr, "LEFT OUT: there is no contract %s; EILBOTE_CONTRACTS names the folder\n",
                 name.c_str());
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The contract, read; nothing when there is none.
inline std::optional<boost::json::value> contract(const std::string& name) {
  const auto bytes = contract_bytes(name);
  return bytes ? std::optional(boost::json::parse(*bytes)) : std::nullopt;
}

}  // namespace eilbote::test

#define EILBOTE_CONTRACT_OR_SKIP(variable, name)       \
  const auto variable = eilbote::test::contract(name); \
  if (!variable) GTEST_SKIP() << "no contract " << (name)
