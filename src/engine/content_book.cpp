#include "engine/content_book.h"

namespace eilbote {
namespace {

// A mail may have ten megabytes, a webhook one.
constexpr std::size_t kMailBytesMax = 64 * 1024 * 1024;
constexpr std::size_t kWebhookBytesMax = 128 * 1024 * 1024;
constexpr std::size_t kHostBytesMax = 8 * 1024 * 1024;

}  // namespace

void ContentBook::hold(const Lease& lease, ChannelKind channel, const std::string& route, std::size_t bytes) {
  let_go(lease);  // counted once, whatever happened before
  const auto load = loads_.try_emplace(route).first;
  held_[lease] = {channel, load, bytes};
  load->second.bytes += bytes;
  ++load->second.contents;
  if (channel == ChannelKind::webhook) webhook_bytes_ += bytes;
}

void ContentBook::begin(const Lease& lease) {
  const auto held = held_.find(lease);
  if (held == held_.end() || held->second.begun) return;
  held->second.begun = true;
  ++held->second.load->second.open;
}

void ContentBook::let_go(const Lease& lease) {
  const auto it = held_.find(lease);
  if (it == held_.end()) return;
  const Held& held = it->second;
  if (held.channel == ChannelKind::webhook) webhook_bytes_ -= held.bytes;
  Load& load = held.load->second;
  load.bytes -= held.bytes;
  if (held.begun) --load.open;
  if (--load.contents == 0) loads_.erase(held.load);
  held_.erase(it);
}

bool ContentBook::is_full(ChannelKind channel, const std::string& route) const {
  const std::size_t bytes = load_of(route).bytes;
  if (channel == ChannelKind::mail) return bytes >= kMailBytesMax;
  return bytes >= kHostBytesMax || webhook_bytes_ >= kWebhookBytesMax;
}

std::size_t ContentBook::open(const std::string& route) const {
  return load_of(route).open;
}

ContentBook::Load ContentBook::load_of(const std::string& route) const {
  const auto it = loads_.find(route);
  return it == loads_.end() ? Load{} : it->second;
}

bool ContentBook::is_consistent() const {
  Loads loads;
  std::size_t webhook_bytes = 0;
  for (const auto& [lease, held] : held_) {
    Load& load = loads[held.load->first];
    load.bytes += held.bytes;
    ++load.contents;
    if (held.begun) ++load.open;
    if (held.channel == ChannelKind::webhook) webhook_bytes += held.bytes;
  }
  return loads == loads_ && webhook_bytes == webhook_bytes_;
}

}  // namespace eilbote
