#include "coll/symbols.h"

#include <algorithm>

namespace tutti::coll {

void append(std::vector<Piece>& pieces, Piece next) {
  if (!pieces.empty() && pieces.back().first.plus(pieces.back().n) == next.first)
    pieces.back().n += next.n;
  else
    pieces.push_back(next);
}

std::size_t Memory::run_at(Count at) const {
  const auto before = [](Count x, const Run& run) { return x < run.at; };
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), at, before);
  return std::size_t(after - runs_.begin()) - 1;
}

std::size_t Memory::cut(Count at) {
  const std::size_t i = run_at(at);
  if (runs_[i].at == at) return i;
  const Run rest{at, runs_[i].first.plus(at - runs_[i].at), runs_[i].uses};
  runs_.insert(runs_.begin() + std::ptrdiff_t(i) + 1, rest);
  return i + 1;
}

// Makes one of runs from..to-1 and those beside them, where what they hold goes on and no use tells them apart.
void Memory::join(std::size_t from, std::size_t to, Uses waited) {
  from = from > 0 ? from - 1 : 0, to = std::min(to + 1, runs_.size() - 1);
  std::size_t last = from;
  for (std::size_t i = from; i < to; ++i) {
    Run run = runs_[i];
    if (run.uses.recv <= waited.recv) run.uses.recv = 0;
    if (run.uses.send <= waited.send) run.uses.send = 0;
    const Run& before = runs_[last];
    if (i > from && before.uses == run.uses && before.first.plus(run.at - before.at) == run.first) continue;
    if (i > from) ++last;
    runs_[last] = run;
  }
  runs_.erase(runs_.begin() + std::ptrdiff_t(last) + 1, runs_.begin() + std::ptrdiff_t(to));
}

void Memory::read(Count at, Count n, std::vector<Piece>& pieces) const {
  for (std::size_t i = run_at(at); runs_[i].at < at + n; ++i) {
    const Count from = std::max(at, runs_[i].at), end = std::min(at + n, runs_[i + 1].at);
    append(pieces, {end - from, runs_[i].first.plus(from - runs_[i].at)});
  }
}

Uses Memory::uses(Count at, Count n) const {
  Uses latest;
  for (std::size_t i = run_at(at); runs_[i].at < at + n; ++i) {
    latest.recv = std::max(latest.recv, runs_[i].uses.recv);
    latest.send = std::max(latest.send, runs_[i].uses.send);
  }
  return latest;
}

bool Memory::holds_nothing(Count at, Count n) const {
  for (std::size_t i = run_at(at); runs_[i].at < at + n; ++i)
    if (runs_[i].first.what < 0) return true;
  return false;
}

void Memory::write(Count at, std::span<const Piece> pieces, int recv, Uses waited) {
  const Count begin = at;
  for (const Piece& piece : pieces) {
    const std::size_t i = cut(at), end = cut(at += piece.n);
    runs_[i] = {runs_[i].at, piece.first, {recv, 0}};
    runs_.erase(runs_.begin() + std::ptrdiff_t(i) + 1, runs_.begin() + std::ptrdiff_t(end));
  }
  join(run_at(begin), run_at(at), waited);
}

void Memory::clear(Count at, Count n, Uses waited) {
  const Piece nothing{n, {}};
  write(at, {&nothing, 1}, 0, waited);
}

void Memory::set_recv(Count at, Count n, int recv, Uses waited) {
  const std::size_t i = cut(at), end = cut(at + n);
  for (std::size_t k = i; k < end; ++k) runs_[k].uses.recv = recv;
  join(i, end, waited);
}

void Memory::set_send(Count at, Count n, int send, Uses waited) {
  const std::size_t i = cut(at), end = cut(at + n);
  for (std::size_t k = i; k < end; ++k) runs_[k].uses.send = send;
  join(i, end, waited);
}

}  // namespace tutti::coll
