#include "app/memory.h"

#include <malloc.h>

namespace eilbote {

// Out of the box glibc gives a thread's free memory back to the kernel at once and takes it again for the next
// batch: two mprotect() calls for every three mails were seen, each of which stops the other cores for a moment.
// Kept instead: up to 16 MiB per heap, in steps of 1 MiB, and few heaps. Blocks of 256 KiB and more are mapped on
// their own and do go back at once.
void set_allocator_for_a_server() {
  constexpr int kMiB = 1024 * 1024;
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_TOP_PAD, kMiB);
  mallopt(M_TRIM_THRESHOLD, 16 * kMiB);
  mallopt(M_MMAP_THRESHOLD, kMiB / 4);
}

}  // namespace eilbote
