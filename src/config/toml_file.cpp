#include "config/toml_file.h"

#include <fmt/format.h>
#define TOML_ENABLE_FORMATTERS 0
// It asserts that a key begins where one is wanted, and says what is wrong there two lines later: "[.a]" is a fault, no bug.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <array>
#include <fstream>
#include <sstream>

#include "base/nearest.h"
#include "domain/mail.h"

namespace eilbote {
namespace {

std::string where(const std::string& name, const toml::node& node) {
  return fmt::format("{}:{}", name, node.source().begin.line);
}

// A scalar as text, an array as a list with commas; nothing for a table, a date or a nested array.
std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  const auto* array = node.as_array();
  if (array == nullptr) return std::nullopt;
  std::string all;
  for (const auto& element : *array) {
    const auto text = element.is_array() ? std::nullopt : scalar_text(element);
    if (!text) return std::nullopt;
    if (!all.empty()) all += ',';
    all += *text;
  }
  return all;
}

class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  TomlFile read(const toml::table& root) {
    for (const auto& [key, node] : root) {
      const std::string section(key.str());
      if (section == "pools" && node.is_table())
        read_pools(*node.as_table());
      else
        read_values(section, node);
    }
    return std::move(file_);
  }

 private:
  void fault(const toml::node& node, const std::string& what) {
    file_.faults.push_back(fmt::format("{}: {}", where(name_, node), what));
  }

  void read_values(const std::string& key, const toml::node& node) {
    if (const auto* table = node.as_table()) {
      for (const auto& [inner, value] : *table)
        read_values(key + "." + std::string(inner.str()), value);
      return;
    }
    if (const auto text = scalar_text(node))
      file_.values[key] = {*text, where(name_, node)};
    else
      fault(node, fmt::format("{} must be a text, a number or a list of them", key));
  }

  void read_pools(const toml::table& pools) {
    for (const auto& [key, node] : pools) {
      const std::string code(key.str());
      if (!is_pool_code(code))
        fault(node, fmt::format("pools.{}: a pool's name has 1 to {} of a-z, 0-9, then also '-', '_', '.'",
                                code, kPoolCodeMax));
      else if (const auto* table = node.as_table())
        file_.pools.push_back(read_pool(code, *table));
      else
        fault(node, fmt::format("pools.{} must be a table: [pools.{}]", code, code));
    }
  }

  Pool read_pool(const std::string& code, const toml::table& table) {
    Pool pool;
    pool.code = pool.name = code;
    for (const auto& [key, node] : table)
      read_pool_key(pool, std::string(key.str()), node);
    // The rules of the API too, so that every pool of the file can be written back there.
    for (const Fault& rule : check_pool(pool))
      fault(table, fmt::format("pools.{}.{} {}", code, rule.pointer.substr(1), rule.detail));
    return pool;
  }

  void read_pool_key(Pool& pool, const std::string& key, const toml::node& node) {
    static const std::array<std::string, 5> kKeys{"name", "rate_limit_per_minute", "burst", "concurrency",
                                                  "status"};
    const std::string full = "pools." + pool.code + "." + key;
    if (key == "name" && node.is_string()) {
      pool.name = node.as_string()->get();
    } else if (key == "rate_limit_per_minute") {
      pool.rate_limit_per_minute = whole(full, node, 1, kPoolRateMax);
      pool.limited = true;
    } else if (key == "burst") {
      pool.burst = whole(full, node, 1, kPoolBurstMax);
    } else if (key == "concurrency") {
      pool.concurrency = whole(full, node, 1, kPoolConcurrencyMax);
      pool.limited = true;
    } else if (key == "status") {
      const auto text = scalar_text(node);
      const auto status = kPoolStatusNames.parse(text.value_or(""));
      if (status)
        pool.status = *status;
      else
        fault(node, full + " must be one of: " + kPoolStatusNames.list());
    } else if (key == "name") {
      fault(node, full + " must be a text");
    } else {
      const std::string close = nearest(key, kKeys);
      fault(node,
            fmt::format("unknown key {}{}", full, close.empty() ? "" : "; did you mean " + close + "?"));
    }
  }

  int whole(const std::string& key, const toml::node& node, int low, int high) {
    const auto* number = node.as_integer();
    if (number != nullptr && number->get() >= low && number->get() <= high)
      return static_cast<int>(number->get());
    fault(node, fmt::format("{} must be a whole number from {} to {}", key, low, high));
    return low;
  }

  std::string name_;
  TomlFile file_;
};

}  // namespace

TomlFile read_toml_text(const std::string& text, const std::string& name) {
  try {
    return Reader(name).read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    TomlFile broken;
    broken.faults.push_back(
        fmt::format("{}:{}: {}", name, error.source().begin.line, std::string_view(error.description())));
    return broken;
  }
}

TomlFile read_toml_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) {
    TomlFile missing;
    if (in && in.peek() == std::ifstream::traits_type::eof()) return missing;  // an empty file says nothing
    missing.faults.push_back(
        fmt::format("cannot read the configuration file {}; is it there, and may this user read it?", path));
    return missing;
  }
  return read_toml_text(text.str(), path);
}

}  // namespace eilbote
