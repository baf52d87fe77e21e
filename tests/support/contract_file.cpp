#include "support/contract_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace eilbote::test {
namespace contract_yaml {

using Values = ContractFile::Values;

struct Line {
  std::size_t indent;
  std::string text;  // without indentation and blanks at the end
  int number;
};

std::string trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(' ');
  if (from == std::string_view::npos) return "";
  return std::string(text.substr(from, text.find_last_not_of(' ') - from + 1));
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const auto indent = line.find_first_not_of(' ');
    if (indent != std::string_view::npos && line[indent] != '#')
      lines.push_back({indent, trimmed(line), number});
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

[[noreturn]] void cannot_read(int line, const std::string& what) {
  throw std::runtime_error("docs/openapi.yaml:" + std::to_string(line) + ": " + what);
}

// {a: b, c: [d, 'e']}: one value on one line, or on several that were joined by line breaks.
class FlowReader {
 public:
  FlowReader(const std::string& text, int line, Values& into) : text_(text), line_(line), into_(into) {}

  void read(const std::string& path) {
    skip_blanks();
    if (next() == '{')
      read_map(path);
    else if (next() == '[')
      read_list(path);
    else
      into_[path] = {scalar(",]}"), line_};
    skip_blanks();
  }
  bool at_end() const { return at_ == text_.size(); }
  std::string quoted() {
    const char quote = text_[at_++];
    std::string out;
    for (; !at_end(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        out += text_[++at_];
      } else if (text_[at_] != quote) {
        out += text_[at_];
      } else if (quote == '\'' && text_.compare(at_, 2, "''") == 0) {
        out += text_[at_++];
      } else {
        ++at_;
        return out;
      }
    }
    cannot_read(line_, "a quote that does not end");
  }

 private:
  char next() const { return at_end() ? '\0' : text_[at_]; }
  void skip_blanks() {
    for (; next() == ' ' || next() == '\n'; ++at_)
      if (next() == '\n') ++line_;
  }
  void expect(char what) {
    if (next() != what) cannot_read(line_, std::string("expected ") + what + " in: " + text_);
    ++at_;
  }
  std::string scalar(std::string_view stops) {
    if (next() == '\'' || next() == '"') return quoted();
    const auto end = std::min(text_.find_first_of(stops, at_), text_.size());
    const std::string out = trimmed(std::string_view(text_).substr(at_, end - at_));
    at_ = end;
    return out;
  }
  void read_map(const std::string& path) {
    expect('{');
    for (skip_blanks(); next() != '}'; skip_blanks()) {
      const std::string key = scalar(":");
      expect(':');
      read(path + "." + key);
      if (next() != '}') expect(',');
    }
    expect('}');
  }
  void read_list(const std::string& path) {
    expect('[');
    int index = 0;
    for (skip_blanks(); next() != ']'; skip_blanks()) {
      read(path + "." + std::to_string(index++));
      if (next() != ']') expect(',');
    }
    expect(']');
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int line_;
  Values& into_;
};

// How many brackets are open at the end of the text, those in quotes aside.
int open_brackets(std::string_view text) {
  int open = 0;
  char quote = '\0', before = ' ';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '\'' || c == '"') &&
               std::string_view(" [{,:\n").find(before) != std::string_view::npos) {
      quote = c;
    } else {
      open += (c == '{' || c == '[') ? 1 : (c == '}' || c == ']') ? -1 : 0;
    }
    before = c;
  }
  return open;
}

class BlockReader {
 public:
  BlockReader(std::vector<Line> lines, Values& into) : lines_(std::move(lines)), into_(into) {}

  void read_all() {
    while (!at_end())
      read_map("", line().indent);
  }

 private:
  bool at_end() const { return at_ == lines_.size(); }
  Line& line() { return lines_[at_]; }
  static std::string joined(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }
  bool is_item() { return line().text == "-" || line().text.starts_with("- "); }

  // Where the key of "key: value" ends; npos when this is no entry of a map.
  static std::size_t colon_of(const std::string& text) {
    if (text.starts_with('{') || text.starts_with('[')) return std::string::npos;
    const auto from = text.starts_with('\'') ? text.find('\'', 1) : 0;
    if (const auto at = text.find(": ", from); at != std::string::npos) return at;
    return text.ends_with(':') ? text.size() - 1 : std::string::npos;
  }

  void read_node(const std::string& path) {
    if (is_item())
      read_list(path, line().indent);
    else if (colon_of(line().text) != std::string::npos)
      read_map(path, line().indent);
    else
      read_value(path, line().text, line().indent);
  }

  void read_list(const std::string& path, std::size_t indent) {
    for (int index = 0; !at_end() && line().indent == indent && is_item(); ++index) {
      line().text.erase(0, 2);
      line().indent += 2;
      read_node(joined(path, std::to_string(index)));
    }
  }

  void read_map(const std::string& path, std::size_t indent) {
    while (!at_end() && line().indent == indent && !is_item()) {
      const std::string text = line().text;
      const auto colon = colon_of(text);
      if (colon == std::string::npos) cannot_read(line().number, "no key: " + text);
      std::string key = text.substr(0, colon);
      if (key.starts_with('\'')) key = key.substr(1, key.size() - 2);
      read_value(joined(path, key), trimmed(std::string_view(text).substr(colon + 1)), indent);
    }
  }

  // What follows a key or a dash: `text` is the rest of this line.
  void read_value(const std::string& path, std::string text, std::size_t indent) {
    const int number = line().number;
    ++at_;
    if (text.empty()) {
      if (!at_end() && line().indent > indent) return read_node(path);
      into_[path] = {"", number};
      return;
    }
    if (text.starts_with('{') || text.starts_with('[')) {
      for (; open_brackets(text) > 0 && !at_end(); ++at_)
        text += "\n" + line().text;
      FlowReader(text, number, into_).read(path);
      return;
    }
    if (text == "|" || text == ">") text.clear();
    for (; !at_end() && line().indent > indent; ++at_)
      text += (text.empty() ? "" : " ") + line().text;
    const bool quoted = text.starts_with('\'') || text.starts_with('"');
    into_[path] = {quoted ? FlowReader(text, number, into_).quoted() : text, number};
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
  Values& into_;
};

}  // namespace contract_yaml

const ContractFile& ContractFile::of_the_project() {
  static const ContractFile contract = [] {
    std::ifstream in(EILBOTE_SOURCE_DIR "/docs/openapi.yaml");
    return ContractFile(std::string((std::istreambuf_iterator<char>(in)), {}));
  }();
  return contract;
}

ContractFile::ContractFile(std::string_view text) {
  contract_yaml::BlockReader(contract_yaml::lines_of(text), values_).read_all();
}

const ContractValue* ContractFile::find(std::string_view path) const {
  const auto found = values_.find(path);
  return found == values_.end() ? nullptr : &found->second;
}

std::vector<std::string> ContractFile::list(std::string_view path) const {
  std::vector<std::string> all;
  while (const auto* value = find(std::string(path) + "." + std::to_string(all.size())))
    all.push_back(value->text);
  return all;
}

std::string ContractFile::resolved(std::string_view path) const {
  const auto* ref = find(std::string(path) + ".$ref");
  if (ref == nullptr) return std::string(path);
  std::string target = ref->text.substr(2);  // "#/components/..."
  std::replace(target.begin(), target.end(), '/', '.');
  return target;
}

}  // namespace eilbote::test
