// A session: a use of the library on its own terms, beside or instead of MPI_Init (MPI-5.0 section 11.3). Groups come
// from its process sets and communicators from those; they remember it, for the buffer it may hold for their buffered
// sends. Data only: world/ opens and closes it. Under the process lock.
#pragma once
#include <memory>

#include "base/ref.h"
#include "comm/errhandler.h"

namespace tutti {

class Session : public Counted {
 public:
  Session(Ref<Errhandler> handler, int level)
      : Counted(Kind::kSession), errhandler(std::move(handler)), thread_level(level) {}
  Ref<Errhandler> errhandler;  // never empty
  const int thread_level;
  std::unique_ptr<Attachment> buffer;  // p2p: MPI_Session_attach_buffer
};

}  // namespace tutti
