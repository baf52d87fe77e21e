// How the allocator of the C library is set for a server.
#pragma once

namespace eilbote {

// To be called before the first thread starts.
void set_allocator_for_a_server();

}  // namespace eilbote
