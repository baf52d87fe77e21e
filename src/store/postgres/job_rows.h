// Between rows and domain types: the columns every statement about jobs returns in the same order.
#pragma once

#include <string>
#include <vector>

#include "domain/job.h"
#include "ports/outbox.h"
#include "store/postgres/directory.h"
#include "store/postgres/rows.h"

namespace eilbote::postgres {

// The first columns of claim_due, claim_one, find_many, lock_job and apply_act: id … expires_at.
inline constexpr int kJobColumns = 20;

LaneId read_lane(const Row& row);
// Without client and pool, which the lane tells (name_job).
Job read_job(const Row& row);
void name_job(Job& job, const Lane& lane);

// The columns of find_attempts_of and last_failure.
Attempt read_attempt(const Row& row);

// The lanes of these rows' jobs, read from the database when the memory does not know one.
Result<void> know_lanes(Directory& directory, Connection& connection, const Rows& rows);

// The most `last_error` keeps.
inline constexpr std::size_t kErrorCharactersMax = 1000;

}  // namespace eilbote::postgres
