#include "channel/draft_files.h"

#include <algorithm>

#include "domain/delivery_codes.h"

namespace eilbote {
namespace {

GraphJudgement judged(const GraphAnswer& answer) {
  return judge_graph(GraphStep::attach, graph::facts_of(answer));
}

// Not refused, only interrupted: Graph knows how far it got.
bool may_go_on(const GraphAnswer& answer) {
  if (answer.token_failed) return false;
  switch (answer.fault) {
    case ExchangeFault::none:
      return answer.status >= 500 || answer.status == 408 || answer.status == 416;
    case ExchangeFault::timeout:
    case ExchangeFault::lost:
    case ExchangeFault::bad_response:
      return true;
    default:
      return false;
  }
}

DeliveryResult strange_answer(const char* what) {
  DeliveryResult result;
  result.verdict = Verdict::transient;
  result.attempt_status = AttemptStatus::SERVER_ERROR;
  result.code = code::graph_server_error;
  result.text = what;
  return result;
}

}  // namespace

DraftFiles::DraftFiles(GraphDesk& desk, std::string mailbox, std::string draft, std::vector<Attachment> files,
                       Done done)
    : desk_(desk),
      mailbox_(std::move(mailbox)),
      draft_(std::move(draft)),
      files_(std::move(files)),
      done_(std::move(done)) {
  std::reverse(files_.begin(), files_.end());
}

void DraftFiles::call(GraphCall call, std::function<void(DraftFiles&, const GraphAnswer&)> answered) {
  desk_.call(std::move(call), [self = shared_from_this(), answered = std::move(answered)](
                                  const GraphAnswer& answer) { answered(*self, answer); });
}

void DraftFiles::fail_with(DeliveryResult result) {
  files_.clear();
  done_(std::move(result));
}

void DraftFiles::next_file() {
  if (files_.empty()) return done_(std::nullopt);
  resumes_ = 0;
  const Attachment& file = files_.back();
  if (file.content.size() >= kGraphUploadBytesMin) return open_upload();
  call(graph::attach(mailbox_, draft_, graph_attachment_json(file)),
       [](DraftFiles& self, const GraphAnswer& answer) {
         if (!answer.ok()) return self.fail_with(judged(answer).result);
         self.file_is_there();
       });
}

void DraftFiles::file_is_there() {
  files_.pop_back();
  next_file();
}

void DraftFiles::open_upload() {
  call(graph::open_upload(mailbox_, draft_, graph_upload_json(files_.back())),
       [](DraftFiles& self, const GraphAnswer& answer) {
         if (!answer.ok()) return self.fail_with(judged(answer).result);
         const graph::Upload upload = graph::read_upload(answer.body);
         if (upload.url.empty())
           return self.fail_with(strange_answer("Graph opened an upload without saying where"));
         self.url_ = upload.url;
         self.offset_ = 0;
         self.send_piece();
       });
}

void DraftFiles::send_piece() {
  const std::string_view content = files_.back().content;
  const std::string_view piece = content.substr(offset_, kPieceBytes);
  const std::size_t end = offset_ + piece.size();
  call(graph::upload_piece(mailbox_, url_, piece, offset_, content.size()),
       [end](DraftFiles& self, const GraphAnswer& answer) { self.on_piece(answer, end); });
}

void DraftFiles::on_piece(const GraphAnswer& answer, std::size_t end) {
  // The URL has its own permission, which ends after a while; that of the application is not meant.
  if (answer.status == 401 || answer.status == 403)
    return fail_with(strange_answer("Graph takes no more pieces of an attachment: its upload is over"));
  if (!answer.ok()) {
    const GraphJudgement judgement = judged(answer);
    return may_go_on(answer) ? resume(judgement) : fail_with(judgement.result);
  }
  const auto next = graph::read_upload(answer.body).next;
  if (answer.status == 201 || (!next && end == files_.back().content.size())) return file_is_there();
  go_on_from(next.value_or(end),
             {GraphOutcome::failed,
              strange_answer("Graph asks for the same piece of an attachment again and again")});
}

// Asks how far it got.
void DraftFiles::resume(const GraphJudgement& judgement) {
  if (++resumes_ > kResumesMax) return fail_with(judgement.result);
  call(graph::ask_upload(mailbox_, url_), [judgement](DraftFiles& self, const GraphAnswer& answer) {
    const auto next = answer.ok() ? graph::read_upload(answer.body).next : std::nullopt;
    if (!next) return self.fail_with(judgement.result);
    --self.resumes_;  // counted again below, where it did not get on
    self.go_on_from(*next, judgement);
  });
}

void DraftFiles::go_on_from(std::size_t offset, const GraphJudgement& judgement) {
  if (offset >= files_.back().content.size()) return fail_with(judgement.result);
  if (offset <= offset_ && ++resumes_ > kResumesMax) return fail_with(judgement.result);
  offset_ = offset;
  send_piece();
}

}  // namespace eilbote
