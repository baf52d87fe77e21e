// The composition root: the one place where the parts of a running server are made and joined.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/reload.h"
#include "base/result.h"
#include "config/config.h"

namespace eilbote {

class Server {
 public:
  virtual ~Server() = default;
  // "http://127.0.0.1:8925"; https with a certificate.
  virtual std::string url() const = 0;
  // What takes over a configuration that was read again.
  virtual ReloadParts reload_parts() = 0;
  // Stops accepting, answers what is under way, finishes or hands back what is leased within the grace.
  virtual void stop() = 0;
};

// Starts everything, in order; the error says what is missing. Nothing is left behind when it fails.
Result<std::unique_ptr<Server>> start_server(const Config& config);

}  // namespace eilbote
