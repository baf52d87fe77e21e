// Adds attachments to a draft that did not fit into the request that made it: small ones as they are, large ones in pieces,
// which go on from where Graph has them when an answer is lost. One after the other, on the Graph desk's thread. A draft that
// is not complete is never sent: a failure here ends the attempt, and the next one begins with a new draft.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "channel/graph_desk.h"
#include "channel/graph_requests.h"
#include "domain/delivery.h"
#include "domain/mail.h"

namespace eilbote {

class DraftFiles : public std::enable_shared_from_this<DraftFiles> {
 public:
  // Pieces must be a multiple of 320 KiB, and smaller than 4 MB.
  static constexpr std::size_t kPieceBytes = std::size_t{10} * 320 * 1024;
  static constexpr int kResumesMax = 3;                             // per file
  using Done = std::function<void(std::optional<DeliveryResult>)>;  // nothing: all of them are there

  DraftFiles(GraphDesk& desk, std::string mailbox, std::string draft, std::vector<Attachment> files,
             Done done);
  void begin() { next_file(); }

 private:
  void next_file();
  void file_is_there();
  void open_upload();
  void send_piece();
  void on_piece(const GraphAnswer& answer, std::size_t end);
  void resume(const GraphJudgement& judgement);
  void go_on_from(std::size_t offset, const GraphJudgement& judgement);
  void call(GraphCall call, std::function<void(DraftFiles&, const GraphAnswer&)> answered);
  void fail_with(DeliveryResult result);

  GraphDesk& desk_;
  const std::string mailbox_, draft_;
  std::vector<Attachment> files_;  // the one that is being added comes last
  const Done done_;
  std::string url_;  // where the pieces go
  std::size_t offset_ = 0;
  int resumes_ = 0;
};

}  // namespace eilbote
