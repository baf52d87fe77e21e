#include "load/capture_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace eilbote::load {

CaptureWatch::CaptureWatch(const std::string& folder)
    : descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (descriptor_ < 0 ||
      ::inotify_add_watch(descriptor_, folder.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0)
    throw std::system_error(errno, std::generic_category(), "watching " + folder);
}

CaptureWatch::~CaptureWatch() {
  ::close(descriptor_);
}

void CaptureWatch::accepted(std::string_view id, std::int64_t sent) {
  const auto file = appeared_.find(std::string(id));
  if (file == appeared_.end()) {
    sent_.emplace(id, sent);
    ++accepted_only_;
    return;
  }
  samples_.add(file->second - sent);
  appeared_.erase(file);
}

void CaptureWatch::read(std::int64_t now) {
  alignas(inotify_event) char buffer[64 * 1024];
  while (true) {
    const ssize_t n = ::read(descriptor_, buffer, sizeof buffer);
    if (n <= 0) return;
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      if (event->mask & IN_Q_OVERFLOW) overflowed_ = true;
      if (event->len > 0) appeared(event->name, now);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

// Drafts begin with a dot and do not count; a second copy of a mail is not ID.eml.
void CaptureWatch::appeared(std::string_view file, std::int64_t now) {
  constexpr std::string_view kSuffix = ".eml";
  if (file.starts_with('.') || !file.ends_with(kSuffix)) return;
  file.remove_suffix(kSuffix.size());
  const auto sent = sent_.find(std::string(file));
  if (sent == sent_.end()) {
    appeared_.emplace(file, now);
    return;
  }
  samples_.add(now - sent->second);
  sent_.erase(sent);
  --accepted_only_;
}

}  // namespace eilbote::load
