// The capture channel: each mail becomes a file in a folder, written whole or not at all. For trying things
// out, for tests, and for shops that pick mails up from disk.
//
// Files: <id>.eml; a mail captured again (after a crash between the hand-over and its commit) becomes
// <id>.2.eml, and so on, and is counted. What is handed to the operating system before the mail is SENT
// survives a crash of this process; a power cut may take the last files with it, as it may with any spool
// that does not sync each file.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "ports/channel.h"

namespace eilbote {

struct Metrics;

// Faults on demand, for tests (faults_by_address): chosen by the tag behind '+' in the first waiting
// recipient's local part.
//   +transient  +transientN (the first N attempts)  +permanent  +defer  +deferN  +route  +configuration
//   +lost (written, but the answer is lost)  +stall (held until the server stops)  +refuse (only that
//   recipient) +later (only that recipient, transient; the others are taken)
struct CaptureOptions {
  std::string folder;
  bool faults_by_address = false;
};

// Starts the channel's thread; the folder is made when it is missing.
Result<std::unique_ptr<MailChannel>> make_capture_channel(CaptureOptions options, Metrics& metrics);

}  // namespace eilbote
