// SQLite's own file system, but for the WAL: what SQLite writes there piece by piece, two pieces for each page, is kept until it is
// synced, read or gone past, and reaches the operating system in one piece. Used by database.cpp for every connection.
//
// Nothing is promised earlier or later for it: SQLite calls nothing in the WAL committed before its sync has come back
// (synchronous=FULL), and the sync writes first. A process that dies before takes with it what nobody was told of.
#pragma once

namespace eilbote::sqlite {

// The name to open connections with. Wraps whatever file system is SQLite's default when a file is opened.
const char* joined_writes();

}  // namespace eilbote::sqlite
