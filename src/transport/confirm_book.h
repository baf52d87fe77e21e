// Which published parcels the broker has not answered for yet. Confirms come by number, for one or for all up to it, in any
// order; a message that has no queue comes back before it is confirmed. Pure; belongs to the publisher's thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ports/transport.h"

namespace eilbote {

// Parcels that were handed in together and are answered together.
struct ParcelBatch {
  using Steady = std::chrono::steady_clock::time_point;

  std::vector<Parcel> parcels;
  Transport::Published done;
  Steady due;                     // the answer is given then at the latest
  std::vector<Carriage> answers;  // all refused, until they are something else
  std::size_t open = 0;           // written, and not answered for
  bool is_written = false;        // nothing more of it will be written

  bool is_answered() const { return is_written && open == 0; }
};
using SharedBatch = std::shared_ptr<ParcelBatch>;

class ConfirmBook {
 public:
  // This parcel has gone out, under the next number.
  void wrote(const SharedBatch& batch, std::size_t parcel);
  // The number is of no meaning when it is not open: the answer came too late.
  void confirmed(std::uint64_t number, bool multiple, bool ok);
  // The one that went out first under this id has no queue; its confirm does not count.
  void returned(const std::string& message_id);
  // Nobody will hear of those any more; they stay `unknown`. Numbers go on.
  void give_up(const SharedBatch& batch);
  // The connection is gone: nothing is open any more, and numbers begin anew.
  void lose_all();

  std::size_t open() const { return open_.size(); }
  bool is_consistent() const;

 private:
  struct Slip {
    SharedBatch batch;
    std::size_t parcel = 0;
    bool came_back = false;
  };
  using Slips = std::map<std::uint64_t, Slip>;
  Slips::iterator answer(Slips::iterator slip, Carriage carriage);

  std::uint64_t last_number_ = 0;
  Slips open_;
  std::multimap<std::string, std::uint64_t> by_id_;
};

}  // namespace eilbote
