#include "api/worker_pool.h"

namespace eilbote {

WorkerPool::WorkerPool(int threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  for (int i = 0; i < threads; ++i) {
    threads_.push_back(
        std::make_unique<Service>("api-worker", [this](const std::stop_token& token) { run(token); }));
    threads_.back()->start();
  }
}

WorkerPool::~WorkerPool() {
  for (const auto& thread : threads_)
    thread->request_stop();
  for (const auto& thread : threads_)
    thread->stop();
}

bool WorkerPool::submit(Task task) {
  {
    const MutexLock lock(mutex_);
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(task));
  }
  ready_.notify_one();
  return true;
}

void WorkerPool::run(const std::stop_token& token) {
  while (!token.stop_requested()) {
    Task task;
    {
      const MutexLock lock(mutex_);
      if (!ready_.wait(mutex_, token, [this]() EILBOTE_REQUIRES(mutex_) { return !waiting_.empty(); }))
        return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

}  // namespace eilbote
