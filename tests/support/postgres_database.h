// A fresh, migrated database per test on the one PostgreSQL server that this test program starts when it is first asked.
// Databases are copied from a migrated template, which takes a few hundredths of a second.
#pragma once

#include <cstdint>
#include <string>

namespace eilbote::test {

// The URL of a new database without any schema.
std::string empty_postgres_database();
// The URL of a new database with Eilbote's schema and nothing in it.
std::string fresh_postgres_database();
void drop_postgres_database(const std::string& url);

std::uint16_t postgres_port();
// The same database through another port of this machine: a proxy's.
std::string postgres_url_on_port(const std::string& url, std::uint16_t port);

void stop_postgres();
void start_postgres();
// As a crash would: no checkpoint, every link cut, recovery from the log.
void restart_postgres_hard();

}  // namespace eilbote::test
