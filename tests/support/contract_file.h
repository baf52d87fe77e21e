// docs/openapi.yaml as tests hold it against the code: every value by its path, with the line it stands on. Reads the YAML
// the contract is written in (maps, lists, {a: b}, [a, b], quotes, blocks of text) and not one form more.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace eilbote::test {

struct ContractValue {
  std::string text;  // without quotes; a block of text as one line
  int line = 0;
};

class ContractFile {
 public:
  // Every value at its path: "components.schemas.Mail.properties.subject.maxLength", entries of a list by number.
  using Values = std::map<std::string, ContractValue, std::less<>>;

  // The contract of this project, read once.
  static const ContractFile& of_the_project();
  // Throws std::runtime_error, with the line, at what it cannot read.
  explicit ContractFile(std::string_view text);

  const Values& values() const { return values_; }
  // Null: there is nothing at this path.
  const ContractValue* find(std::string_view path) const;
  // The values of the list at this path, in order.
  std::vector<std::string> list(std::string_view path) const;
  // The path that `path` stands for when it is a $ref, else itself.
  std::string resolved(std::string_view path) const;

 private:
  Values values_;
};

}  // namespace eilbote::test
