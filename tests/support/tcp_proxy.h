// A loopback TCP proxy in front of PostgreSQL that breaks links where it hurts: around a COMMIT. It reads the
// protocol's message boundaries on both sides, so it cuts exactly before the COMMIT is passed on, or exactly
// after the server has said that it is done and before the client hears it. In front of other servers it passes
// on bytes as they come. One thread of its own, poll-based.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>

namespace eilbote::test {

enum class CutPoint {
  none,
  before_commit,  // the server never sees the COMMIT
  after_commit,   // the server has committed; its answer is lost
};

enum class Proxied { postgres, bytes };

// Where a proxy listens: another address of the loopback lets several of them share a port.
struct ProxyPlace {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: a free one
};

class TcpProxy {
 public:
  explicit TcpProxy(std::uint16_t server_port, Proxied what = Proxied::postgres,
                    const ProxyPlace& place = {});
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::uint16_t port() const { return port_; }

  // Arms one cut: the next transaction that commits loses its link there, and all goes on as before.
  void cut_next_commit(CutPoint where) { armed_ = where; }
  // How many links were cut by cut_next_commit.
  int cuts() const { return cuts_; }

  // New links are closed at once, existing ones cut, until it is taken back. Returns when it is so.
  void refuse(bool on) { change(refusing_, on); }
  // Bytes are held back in both directions until it is taken back; nothing is lost. Returns when it is so.
  void stall(bool on) { change(stalling_, on); }
  // Bytes pass in small pieces only, until it is taken back. Returns when it is so.
  void drip(bool on) { change(dripping_, on); }
  // Existing links are cut, once; new ones go on as before.
  void reset();
  // Existing links are cut, and new ones lead to another server.
  void lead_to(std::uint16_t server_port);
  // The same for what the server says only: it hears everything, and nobody hears it.
  void hold_answers(bool on) { change(holding_answers_, on); }

 private:
  struct Link;
  void run();
  void take_new();
  // Waits until a piece may pass, or somebody wants something.
  void hold_up();
  std::size_t piece() const;
  // False: the link is over.
  bool from_client(Link& link);
  bool from_server(Link& link);
  void change(std::atomic<bool>& setting, bool on);
  void wake();

  std::atomic<std::uint16_t> server_port_;
  const Proxied what_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_read_ = -1, wake_write_ = -1;
  std::atomic<CutPoint> armed_ = CutPoint::none;
  std::atomic<int> cuts_ = 0;
  std::atomic<int> asked_ = 0, seen_ = 0;  // changes asked for, and those the thread has taken up
  std::atomic<bool> refusing_ = false, stalling_ = false, holding_answers_ = false, stopping_ = false;
  std::atomic<bool> dripping_ = false, resetting_ = false;
  std::list<Link> open_;
  std::thread thread_;
};

}  // namespace eilbote::test
