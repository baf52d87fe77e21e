// The intake's queue: fair between clients, bounded batches.
#include "engine/intake_queue.h"

#include <gtest/gtest.h>

namespace eilbote::engine_intake_queue_test {
namespace {

WaitingJob waiting(const std::string& client, int id, std::size_t bytes = 10) {
  WaitingJob made;
  made.job = std::make_unique<NewJob>();
  made.job->client = ClientName{client};
  made.job->id = JobId{id};
  made.job->mail.mime.assign(bytes, 'x');
  return made;
}

std::vector<int> ids(const std::vector<WaitingJob>& batch) {
  std::vector<int> all;
  for (const WaitingJob& one : batch)
    all.push_back(static_cast<int>(one.job->id.value()));
  return all;
}

std::vector<WaitingJob> taken(IntakeQueue& queue, std::size_t rows_max, std::size_t bytes_max) {
  std::vector<WaitingJob> batch;
  queue.take(batch, rows_max, bytes_max);
  return batch;
}

WaitingJob grouped(int id) {
  WaitingJob made = waiting("a", id);
  made.job->group = "invoices";
  return made;
}

TEST(IntakeQueue, ServesClientsRoundRobin) {
  IntakeQueue queue;
  for (int i = 1; i <= 4; ++i)
    queue.push_back(waiting("flood", i));
  queue.push_back(waiting("quiet", 9));
  EXPECT_EQ(ids(taken(queue, 3, 1000)), (std::vector{1, 9, 2}));
  EXPECT_EQ(ids(taken(queue, 3, 1000)), (std::vector{3, 4}));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(IntakeQueue, StopsBeforeTooManyBytes) {
  IntakeQueue queue;
  for (int i = 1; i <= 3; ++i)
    queue.push_back(waiting("a", i, 40));
  EXPECT_EQ(ids(taken(queue, 10, 100)), (std::vector{1, 2}));
  EXPECT_EQ(ids(taken(queue, 10, 100)), (std::vector{3}));
}

TEST(IntakeQueue, ALargeMailGoesAlone) {
  IntakeQueue queue;
  queue.push_back(waiting("a", 1, 500));
  queue.push_back(waiting("a", 2, 10));
  EXPECT_EQ(ids(taken(queue, 10, 100)), (std::vector{1}));
  EXPECT_EQ(ids(taken(queue, 10, 100)), (std::vector{2}));
}

TEST(IntakeQueue, WhatGoesBackComesFirst) {
  IntakeQueue queue;
  queue.push_back(waiting("a", 1));
  queue.push_back(waiting("a", 2));
  auto batch = taken(queue, 1, 1000);
  queue.push_front(std::move(batch[0]));
  EXPECT_EQ(ids(taken(queue, 10, 1000)), (std::vector{1, 2}));
}

TEST(IntakeLines, HelpersTakeNoJobOfAGroupAndOnlyAWorthwhileBatch) {
  IntakeLines lines;
  for (int i = 1; i <= 3; ++i)
    lines.push_back(grouped(i));
  EXPECT_TRUE(lines.has_batch_for(Hand::first, 2, false));
  EXPECT_FALSE(lines.has_batch_for(Hand::helper, 2, false));
  lines.push_back(waiting("a", 8));
  EXPECT_FALSE(lines.has_batch_for(Hand::helper, 2, false));
  lines.push_back(waiting("a", 9));
  EXPECT_TRUE(lines.has_batch_for(Hand::helper, 2, false));
  EXPECT_EQ(ids(lines.take(Hand::helper, 10, 1000)), (std::vector{8, 9}));
  EXPECT_EQ(ids(lines.take(Hand::first, 10, 1000)), (std::vector{1, 2, 3}));
  EXPECT_EQ(lines.size(), 0u);
}

TEST(IntakeLines, TheFirstHandTakesLittleOnlyWhileNobodyCommits) {
  IntakeLines lines;
  EXPECT_FALSE(lines.has_batch_for(Hand::first, 2, false));
  lines.push_back(waiting("a", 1));
  EXPECT_TRUE(lines.has_batch_for(Hand::first, 2, false));
  EXPECT_FALSE(lines.has_batch_for(Hand::first, 2, true));
  lines.push_back(grouped(2));
  EXPECT_TRUE(lines.has_batch_for(Hand::first, 2, true));
}

TEST(IntakeLines, NeitherLineStarvesTheOther) {
  IntakeLines lines;
  for (int i = 1; i <= 6; ++i)
    lines.push_back(grouped(i));
  lines.push_back(waiting("a", 9));
  EXPECT_EQ(ids(lines.take(Hand::first, 4, 1000)), (std::vector{1, 2, 9}));
  EXPECT_EQ(ids(lines.take(Hand::first, 4, 1000)), (std::vector{3, 4, 5, 6}));
}

TEST(IntakeLines, BothLinesShareTheBytesOfABatch) {
  IntakeLines lines;
  lines.push_back(grouped(1));
  lines.push_back(waiting("a", 2, 95));
  EXPECT_EQ(ids(lines.take(Hand::first, 4, 100)), (std::vector{1}));
  EXPECT_EQ(ids(lines.take(Hand::first, 4, 100)), (std::vector{2}));
}

}  // namespace
}  // namespace eilbote::engine_intake_queue_test
