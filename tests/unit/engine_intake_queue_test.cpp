// The intake's queue: fair between clients, bounded batches.
#include "engine/intake_queue.h"

#include <gtest/gtest.h>

namespace eilbote {
namespace {

WaitingJob waiting(const std::string& client, int id, std::size_t bytes = 10) {
  WaitingJob made;
  made.job.client = ClientName{client};
  made.job.id = JobId{id};
  made.job.mail.mime.assign(bytes, 'x');
  return made;
}

std::vector<int> ids(const std::vector<WaitingJob>& batch) {
  std::vector<int> all;
  for (const WaitingJob& one : batch)
    all.push_back(static_cast<int>(one.job.id.value()));
  return all;
}

TEST(IntakeQueue, ServesClientsRoundRobin) {
  IntakeQueue queue;
  for (int i = 1; i <= 4; ++i)
    queue.push_back(waiting("flood", i));
  queue.push_back(waiting("quiet", 9));
  EXPECT_EQ(ids(queue.take(3, 1000)), (std::vector{1, 9, 2}));
  EXPECT_EQ(ids(queue.take(3, 1000)), (std::vector{3, 4}));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(IntakeQueue, StopsBeforeTooManyBytes) {
  IntakeQueue queue;
  for (int i = 1; i <= 3; ++i)
    queue.push_back(waiting("a", i, 40));
  EXPECT_EQ(ids(queue.take(10, 100)), (std::vector{1, 2}));
  EXPECT_EQ(ids(queue.take(10, 100)), (std::vector{3}));
}

TEST(IntakeQueue, ALargeMailGoesAlone) {
  IntakeQueue queue;
  queue.push_back(waiting("a", 1, 500));
  queue.push_back(waiting("a", 2, 10));
  EXPECT_EQ(ids(queue.take(10, 100)), (std::vector{1}));
  EXPECT_EQ(ids(queue.take(10, 100)), (std::vector{2}));
}

TEST(IntakeQueue, WhatGoesBackComesFirst) {
  IntakeQueue queue;
  queue.push_back(waiting("a", 1));
  queue.push_back(waiting("a", 2));
  auto batch = queue.take(1, 1000);
  queue.push_front(std::move(batch[0]));
  EXPECT_EQ(ids(queue.take(10, 1000)), (std::vector{1, 2}));
}

}  // namespace
}  // namespace eilbote
