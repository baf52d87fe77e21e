// The line of events of an answer that goes on: where whoever answered puts them, and the connection takes them. It has room for
// one: a newer event takes the place of one that waits, so a client that reads slowly costs no more than one that does not. Made
// by HttpConnection, whose part in it is in http_stream.cpp.
#pragma once

#include <memory>
#include <string>

#include "base/mutex.h"
#include "ports/http.h"

namespace eilbote {

class HttpConnection;
struct HttpLoopState;

class HttpEventLine final : public HttpStream {
 public:
  HttpEventLine(std::weak_ptr<HttpConnection> connection, std::shared_ptr<HttpLoopState> loop);

  void send(std::shared_ptr<const std::string> event) override;
  void end() override;
  bool is_open() const override;

  // The following are the connection's.
  struct Next {
    std::shared_ptr<const std::string> event;  // null: none waits
    bool ended = false;                        // and none will come
  };
  Next take();
  // The connection is gone: nothing given from now on goes anywhere.
  void close();

 private:
  void wake_connection();

  const std::weak_ptr<HttpConnection> connection_;  // locked on the loop's thread only
  const std::shared_ptr<HttpLoopState> loop_;       // shared: events may come after the server is gone
  mutable Mutex mutex_;
  std::shared_ptr<const std::string> waiting_ EILBOTE_GUARDED_BY(mutex_);
  bool woken_ EILBOTE_GUARDED_BY(mutex_) = false;  // the connection will look
  bool ended_ EILBOTE_GUARDED_BY(mutex_) = false;
  bool closed_ EILBOTE_GUARDED_BY(mutex_) = false;
};

}  // namespace eilbote
