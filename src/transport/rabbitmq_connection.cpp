#include "transport/rabbitmq_connection.h"

#include <fmt/format.h>

#include "domain/carried_job.h"
#include "transport/rabbitmq_state.h"

namespace eilbote {
namespace {

constexpr int kReplyNotFound = 404, kReplyPreconditionFailed = 406;  // AMQP's reply codes
constexpr std::uint8_t kDeliveryPersistent = 2;
constexpr int kFramesAtOnce = 2000;
constexpr amqp_channel_t kChannelsUsed = 200;  // numbers begin anew after that; the first is never used again

tl::unexpected<Error> rabbit_error(std::string what) {
  return fail(ErrorKind::unavailable, std::move(what));
}

std::string close_text(int code, const amqp_bytes_t& text) {
  return fmt::format("{} ({})", rabbit_text(text), code);
}

}  // namespace

std::string rabbit_text(const amqp_bytes_t& bytes) {
  return bytes.bytes == nullptr ? std::string()
                                : std::string(static_cast<const char*>(bytes.bytes), bytes.len);
}

amqp_bytes_t rabbit_bytes(std::string_view text) {
  // The library takes what it only reads without const.
  return {text.size(), const_cast<char*>(text.data())};
}

std::string rabbit_fault(const amqp_rpc_reply_t& reply) {
  if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) return amqp_error_string2(reply.library_error);
  if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION) return "no answer";
  if (reply.reply.id == AMQP_CONNECTION_CLOSE_METHOD) {
    const auto* const closed = static_cast<const amqp_connection_close_t*>(reply.reply.decoded);
    return close_text(closed->reply_code, closed->reply_text);
  }
  if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
    const auto* const closed = static_cast<const amqp_channel_close_t*>(reply.reply.decoded);
    return close_text(closed->reply_code, closed->reply_text);
  }
  return fmt::format("an answer nobody asked for ({:#x})", reply.reply.id);
}

int rabbit_channel_fault(const amqp_rpc_reply_t& reply) {
  if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION || reply.reply.id != AMQP_CHANNEL_CLOSE_METHOD)
    return 0;
  return static_cast<const amqp_channel_close_t*>(reply.reply.decoded)->reply_code;
}

RabbitState::~RabbitState() {
  link.let_go();
  if (amqp != nullptr) amqp_destroy_connection(amqp);
}

Result<void> RabbitState::outcome(const char* doing) const {
  const amqp_rpc_reply_t reply = amqp_get_rpc_reply(amqp);
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) return {};
  return rabbit_error(fmt::format("{}: {}", doing, rabbit_fault(reply)));
}

Result<void> RabbitState::sent(int status, const char* doing) const {
  if (status == AMQP_STATUS_OK) return {};
  return rabbit_error(fmt::format("{}: {}", doing, amqp_error_string2(status)));
}

Result<amqp_channel_t> RabbitState::open_channel() {
  last_channel = last_channel >= kChannelsUsed ? kMainChannel + 1 : last_channel + 1;
  amqp_channel_open(amqp, last_channel);
  if (auto opened = outcome("open a channel"); !opened) return fail(opened.error());
  return last_channel;
}

RabbitConnection::RabbitConnection(std::unique_ptr<RabbitState> state) : state_(std::move(state)) {}
RabbitConnection::~RabbitConnection() = default;

Result<std::int64_t> RabbitConnection::declare(const std::string& queue) {
  if (state_->open_questions > 0) {
    // An answer to one of them would be taken for the answer to this.
    auto next = state_->open_channel();
    if (!next) return fail(next.error());
    state_->side_channel = *next;
    state_->open_questions = 0;
  }
  for (int tries = 0; tries < 3; ++tries) {  // somebody else may make or delete it in between
    const auto* const there = amqp_queue_declare(state_->amqp, state_->side_channel, rabbit_bytes(queue), 1,
                                                 0, 0, 0, amqp_empty_table);
    if (there != nullptr) return there->message_count;
    if (auto made = declare_anew(queue); !made) return fail(made.error());
  }
  return rabbit_error("declare " + queue + ": it is made and deleted again and again");
}

// After a question for the queue failed. Its channel is gone; so is the next when the queue cannot be made like this.
Result<void> RabbitConnection::declare_anew(const std::string& queue) {
  const auto give_up_channel = [&]() -> Result<void> {
    amqp_channel_close_ok_t ok{};
    if (auto sent = state_->sent(
            amqp_send_method(state_->amqp, state_->side_channel, AMQP_CHANNEL_CLOSE_OK_METHOD, &ok),
            "declare");
        !sent)
      return sent;
    auto next = state_->open_channel();
    if (!next) return fail(next.error());
    state_->side_channel = *next;
    return {};
  };
  const amqp_rpc_reply_t asked = amqp_get_rpc_reply(state_->amqp);
  if (rabbit_channel_fault(asked) != kReplyNotFound)
    return rabbit_error(fmt::format("declare {}: {}", queue, rabbit_fault(asked)));
  if (auto next = give_up_channel(); !next) return next;
  amqp_table_entry_t kind{};
  kind.key = amqp_cstring_bytes("x-queue-type");
  kind.value.kind = AMQP_FIELD_KIND_UTF8;
  kind.value.value.bytes = amqp_cstring_bytes("quorum");
  const amqp_table_t arguments{1, &kind};
  amqp_queue_declare(state_->amqp, state_->side_channel, rabbit_bytes(queue), 0, 1, 0, 0, arguments);
  const amqp_rpc_reply_t made = amqp_get_rpc_reply(state_->amqp);
  if (made.reply_type == AMQP_RESPONSE_NORMAL) return {};
  if (rabbit_channel_fault(made) == kReplyPreconditionFailed)
    return give_up_channel();  // made by somebody, of another kind
  return rabbit_error(fmt::format("declare {}: {}", queue, rabbit_fault(made)));
}

Result<void> RabbitConnection::confirm_publishing() {
  amqp_confirm_select(state_->amqp, kMainChannel);
  return state_->outcome("confirm.select");
}

Result<void> RabbitConnection::limit_held(std::uint16_t messages) {
  amqp_basic_qos(state_->amqp, kMainChannel, 0, messages, 0);
  return state_->outcome("basic.qos");
}

Result<void> RabbitConnection::consume(const std::string& queue) {
  amqp_basic_consume(state_->amqp, kMainChannel, rabbit_bytes(queue), rabbit_bytes(queue), 0, 0, 0,
                     amqp_empty_table);
  return state_->outcome("consume");
}

Result<void> RabbitConnection::publish(const RabbitMessage& message) {
  amqp_basic_properties_t properties{};
  properties._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG |
                      AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TIMESTAMP_FLAG | AMQP_BASIC_TYPE_FLAG;
  properties.content_type = amqp_cstring_bytes("application/json");
  properties.delivery_mode = kDeliveryPersistent;
  properties.message_id = rabbit_bytes(message.id);
  properties.timestamp = static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::seconds>(message.at).time_since_epoch().count());
  properties.type = rabbit_bytes(message.type);
  return state_->sent(
      amqp_basic_publish(state_->amqp, kMainChannel, amqp_empty_bytes, rabbit_bytes(message.queue), 1, 0,
                         &properties, rabbit_bytes(message.body)),
      "publish");
}

Result<void> RabbitConnection::acknowledge(std::uint64_t tag, bool multiple) {
  return state_->sent(amqp_basic_ack(state_->amqp, kMainChannel, tag, multiple ? 1 : 0), "acknowledge");
}

Result<void> RabbitConnection::ask_depth(const std::string& queue) {
  amqp_queue_declare_t question{};
  question.queue = rabbit_bytes(queue);
  question.passive = 1;
  ++state_->open_questions;
  return state_->sent(
      amqp_send_method(state_->amqp, state_->side_channel, AMQP_QUEUE_DECLARE_METHOD, &question),
      "ask for a queue");
}

namespace {

template <class Method>
const Method& rabbit_method(const amqp_frame_t& frame) {
  return *static_cast<const Method*>(frame.payload.method.decoded);
}

// A question about a queue that is not there ends like this. Everything else that does is the end of the connection.
Result<void> take_channel_close(RabbitState& state, const amqp_frame_t& frame,
                                std::vector<RabbitEvent>& events) {
  const auto& closed = rabbit_method<amqp_channel_close_t>(frame);
  const std::string why = close_text(closed.reply_code, closed.reply_text);
  if (frame.channel == kMainChannel || closed.reply_code != kReplyNotFound)
    return rabbit_error("the broker closed a channel: " + why);
  amqp_channel_close_ok_t ok{};
  const int status = amqp_send_method(state.amqp, frame.channel, AMQP_CHANNEL_CLOSE_OK_METHOD, &ok);
  if (auto sent = state.sent(status, "close a channel"); !sent) return sent;
  if (frame.channel == state.side_channel) {
    auto next = state.open_channel();
    if (!next) return fail(next.error());
    state.side_channel = *next;
    state.open_questions = 0;
  }
  events.emplace_back(RabbitDepthLost{why});
  return {};
}

// Only what the broker says by itself; answers to questions are taken by those who wait for them.
Result<void> take_method(RabbitState& state, const amqp_frame_t& frame, std::vector<RabbitEvent>& events) {
  switch (frame.payload.method.id) {
    case AMQP_BASIC_ACK_METHOD: {
      const auto& ack = rabbit_method<amqp_basic_ack_t>(frame);
      events.emplace_back(RabbitConfirm{ack.delivery_tag, ack.multiple != 0, true});
      return {};
    }
    case AMQP_BASIC_NACK_METHOD: {
      const auto& nack = rabbit_method<amqp_basic_nack_t>(frame);
      events.emplace_back(RabbitConfirm{nack.delivery_tag, nack.multiple != 0, false});
      return {};
    }
    case AMQP_BASIC_RETURN_METHOD:
      state.message = RabbitReturn{"", rabbit_text(rabbit_method<amqp_basic_return_t>(frame).routing_key)};
      return {};
    case AMQP_BASIC_DELIVER_METHOD: {
      const auto& delivery = rabbit_method<amqp_basic_deliver_t>(frame);
      state.message = RabbitDelivery{rabbit_text(delivery.consumer_tag), delivery.delivery_tag,
                                     delivery.redelivered != 0, ""};
      return {};
    }
    case AMQP_BASIC_CANCEL_METHOD:
      events.emplace_back(RabbitCancel{rabbit_text(rabbit_method<amqp_basic_cancel_t>(frame).consumer_tag)});
      return {};
    case AMQP_QUEUE_DECLARE_OK_METHOD: {
      const auto& there = rabbit_method<amqp_queue_declare_ok_t>(frame);
      if (frame.channel == state.side_channel) --state.open_questions;
      events.emplace_back(RabbitDepth{rabbit_text(there.queue), there.message_count});
      return {};
    }
    case AMQP_CONNECTION_BLOCKED_METHOD: {
      std::string reason = rabbit_text(rabbit_method<amqp_connection_blocked_t>(frame).reason);
      events.emplace_back(RabbitBlocked{reason.empty() ? "it does not say why" : std::move(reason)});
      return {};
    }
    case AMQP_CONNECTION_UNBLOCKED_METHOD:
      events.emplace_back(RabbitBlocked{});
      return {};
    case AMQP_CONNECTION_CLOSE_METHOD: {
      const auto& closed = rabbit_method<amqp_connection_close_t>(frame);
      return rabbit_error("the broker closed it: " + close_text(closed.reply_code, closed.reply_text));
    }
    case AMQP_CHANNEL_CLOSE_METHOD:
      return take_channel_close(state, frame, events);
    default:
      return rabbit_error(
          fmt::format("the broker says what is not understood ({:#x})", frame.payload.method.id));
  }
}

void take_header(RabbitState& state, const amqp_frame_t& frame) {
  state.bytes_left = frame.payload.properties.body_size;
  auto* const returned = std::get_if<RabbitReturn>(&*state.message);
  if (returned == nullptr) return;
  const auto* const properties =
      static_cast<const amqp_basic_properties_t*>(frame.payload.properties.decoded);
  if ((properties->_flags & AMQP_BASIC_MESSAGE_ID_FLAG) != 0)
    returned->message_id = rabbit_text(properties->message_id);
}

// A foreign message may be huge, and hundreds may be held: what is too long to be looked at is not kept either.
void take_body(RabbitState& state, const amqp_frame_t& frame) {
  const amqp_bytes_t& part = frame.payload.body_fragment;
  state.bytes_left -= std::min<std::uint64_t>(state.bytes_left, part.len);
  auto* const delivery = std::get_if<RabbitDelivery>(&*state.message);
  if (delivery == nullptr) return;
  const std::size_t room = kCarriedBytesMax + 1 - std::min(kCarriedBytesMax + 1, delivery->body.size());
  delivery->body.append(static_cast<const char*>(part.bytes), std::min(room, part.len));
}

Result<void> take_frame(RabbitState& state, const amqp_frame_t& frame, std::vector<RabbitEvent>& events) {
  if (frame.frame_type == AMQP_FRAME_METHOD) return take_method(state, frame, events);
  if (!state.message) return rabbit_error("a part of a message without its beginning");
  if (frame.frame_type == AMQP_FRAME_HEADER)
    take_header(state, frame);
  else if (frame.frame_type == AMQP_FRAME_BODY)
    take_body(state, frame);
  else
    return {};
  if (state.bytes_left > 0) return {};
  events.push_back(std::move(*state.message));
  state.message.reset();
  return {};
}

}  // namespace

Result<bool> RabbitConnection::read(std::vector<RabbitEvent>& events) {
  for (int frames = 0; frames < kFramesAtOnce; ++frames) {
    amqp_maybe_release_buffers(state_->amqp);
    amqp_frame_t frame{};
    const timeval now{0, 0};
    const int status = amqp_simple_wait_frame_noblock(state_->amqp, &frame, &now);
    if (status == AMQP_STATUS_TIMEOUT) return false;
    if (auto came = state_->sent(status, "read"); !came) return fail(came.error());
    if (auto taken = take_frame(*state_, frame, events); !taken) return fail(taken.error());
  }
  return true;
}

int RabbitConnection::fd() const {
  return amqp_get_sockfd(state_->amqp);
}

void RabbitConnection::close(std::chrono::milliseconds patience) {
  const timeval wait{patience / std::chrono::seconds{1},
                     std::chrono::microseconds(patience % std::chrono::seconds{1}).count()};
  amqp_set_rpc_timeout(state_->amqp, &wait);
  amqp_connection_close(state_->amqp, AMQP_REPLY_SUCCESS);
}

}  // namespace eilbote
