// The API's few threads for what may block: reads and acts on the outbox, and the reading of large bodies.
// The queue is bounded; when it is full the caller answers 429.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/service.h"

namespace eilbote {

class WorkerPool {
 public:
  using Task = std::function<void()>;

  WorkerPool(int threads, std::size_t waiting_max);
  // Tasks that have not begun are dropped.
  ~WorkerPool();

  // False when too many tasks wait; then nothing was taken.
  [[nodiscard]] bool submit(Task task);

 private:
  const std::size_t waiting_max_;
  Mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<Task> waiting_ EILBOTE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Service>> threads_;

  void run(const std::stop_token& token);
};

}  // namespace eilbote
