// What is wrong with something that was handed in: faults by JSON pointer, and the one gatherer of them. Used by the rules of
// mails, webhooks, pools and service accounts, and by everything that reads JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eilbote {

// Where (a JSON pointer) and what would be right. A detail never repeats content: it ends up in answers.
struct Fault {
  std::string pointer;
  std::string detail;
  friend bool operator==(const Fault&, const Fault&) = default;
};

// RFC 6901: one step of a pointer, escaped, cut if it is very long.
inline constexpr std::size_t kPointerStepMax = 64;
std::string pointer_step(std::string_view name, std::size_t characters_max = kPointerStepMax);

// Gathers all faults instead of stopping at the first. Each check says what is wrong and returns whether nothing was.
class Faults {
 public:
  std::vector<Fault> take() { return std::move(faults_); }

  void fault(std::string pointer, std::string detail) {
    faults_.push_back({std::move(pointer), std::move(detail)});
  }

  // Valid UTF-8 without NUL; everything the database stores must pass this.
  bool storable(std::string_view text, std::string_view pointer);
  // Storable and without control characters, at most so many characters (or bytes) long, and at least so many.
  bool line(std::string_view text, std::string_view pointer, std::size_t characters_max,
            std::size_t characters_min = 0);
  bool line_in_bytes(std::string_view text, std::string_view pointer, std::size_t bytes_max);
  // A list that is too long is one fault; its entries should then not be looked at, so that a request of a million bad
  // entries costs no more than one.
  bool count(std::size_t entries, std::size_t max, std::string_view pointer);
  bool range(int value, int min, int max, std::string_view pointer);

 private:
  bool refused(std::string_view pointer, std::string detail);
  bool plain(std::string_view text, std::string_view pointer);

  std::vector<Fault> faults_;
};

}  // namespace eilbote
