// Who may knock at the relay's door. While it has not been seen to work, one at a time, the scout; the others wait for what
// he finds: the relay works, or they are sent away. For the coroutines of one thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>

#include "base/time.h"

namespace eilbote {

// Wakes every coroutine that waits.
class Signal {
 public:
  explicit Signal(boost::asio::io_context& io) : timer_(io, boost::asio::steady_timer::time_point::max()) {}
  boost::asio::awaitable<void> wait() {
    boost::system::error_code ignored;
    co_await timer_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  void notify() { timer_.cancel(); }

 private:
  boost::asio::steady_timer timer_;
};

class RelayTurns {
 public:
  using Pause = std::function<void(Duration wait, std::function<void()> over)>;
  // `pause` may be empty: real time passes.
  RelayTurns(boost::asio::io_context& io, Pause pause) : io_(io), pause_(std::move(pause)), changed_(io) {}

  // A turn lasts from the first knock of a mail until it is inside or gives up.
  struct Turn {
    bool is_scout = false;
    int sent_away = 0;  // how often everybody had been sent away when it began
  };
  Turn begin() const { return {false, sent_away_}; }
  bool is_sent_away(const Turn& turn) const { return turn.sent_away != sent_away_; }

  // Waits until this one may knock; false: sent away meanwhile.
  boost::asio::awaitable<bool> may_knock(Turn& turn) {
    while (!works_ && has_scout_ && !turn.is_scout) {
      co_await changed_.wait();
      if (is_sent_away(turn)) co_return false;
    }
    if (!works_) turn.is_scout = has_scout_ = true;
    co_return true;
  }

  // The relay let this one in.
  void came_in(Turn& turn) {
    leave(turn);
    works_ = true;
    changed_.notify();
  }

  // It did not, and another try makes sense: waits, as the scout if there is none. False: sent away meanwhile.
  boost::asio::awaitable<bool> try_again_after(Turn& turn, Duration wait) {
    works_ = false;
    if (!has_scout_) turn.is_scout = has_scout_ = true;
    boost::asio::steady_timer over(io_, wait);
    if (pause_) {
      over.expires_at(boost::asio::steady_timer::time_point::max());
      // The pause may be over after this coroutine is gone.
      const auto still_here = std::make_shared<boost::asio::steady_timer*>(&over);
      pause_(wait, [&io = io_, weak = std::weak_ptr(still_here)] {
        boost::asio::post(io, [weak] {
          if (const auto timer = weak.lock()) (*timer)->cancel();
        });
      });
      co_await wait_for(over);
    } else {
      co_await wait_for(over);
    }
    co_return !is_sent_away(turn);
  }

  // Ends a turn without success, and sends everybody away.
  void give_up(Turn& turn) {
    leave(turn);
    works_ = false;
    send_away();
  }
  void leave(Turn& turn) {
    if (!turn.is_scout) return;
    turn.is_scout = has_scout_ = false;
    changed_.notify();  // another has to go first now
  }
  void send_away() {
    ++sent_away_;
    changed_.notify();
    for (boost::asio::steady_timer* one : pausing_)
      one->cancel();
  }

 private:
  boost::asio::awaitable<void> wait_for(boost::asio::steady_timer& timer) {
    pausing_.push_back(&timer);
    boost::system::error_code ignored;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    std::erase(pausing_, &timer);
  }

  boost::asio::io_context& io_;
  const Pause pause_;
  Signal changed_;
  std::vector<boost::asio::steady_timer*> pausing_;
  bool works_ = false;
  bool has_scout_ = false;
  int sent_away_ = 0;
};

}  // namespace eilbote
