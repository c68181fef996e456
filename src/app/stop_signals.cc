#include "app/stop_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"

namespace holdfast {
namespace {

int BlockAndOpen() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // The terminal was closed; whoever was started by nohup is to go on. A signal that is blocked
  // would come here even if it is ignored.
  struct sigaction hangup = {};
  HOLDFAST_CHECK(::sigaction(SIGHUP, nullptr, &hangup) == 0);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  HOLDFAST_CHECK(::pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
  HOLDFAST_CHECK(std::signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

StopSignals::StopSignals() : event_(BlockAndOpen()) { HOLDFAST_CHECK(event_ >= 0); }

StopSignals::~StopSignals() { ::close(event_); }

}  // namespace holdfast
