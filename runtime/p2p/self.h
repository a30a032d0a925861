// Messages to myself: matched at once, copied straight between the two buffers. Small standard sends are buffered
// when no receive is posted; others complete when one is.
#pragma once
#include "p2p/transport.h"

namespace tutti::p2p {

class Self final : public Transport {
 public:
  Self(Sink& sink, Count eager_bytes) : sink_(sink), eager_bytes_(eager_bytes) {}
  void send(SendOp& op) override;
  void control(int world, const Control& control) override;
  void pull(RecvOp& op) override;
  void drop(Parcel& parcel) override;
  bool take_back(SendOp& op) override;
  void push(SendOp&) override {}
  int progress() override { return 0; }
  bool idle() override { return true; }

 private:
  Sink& sink_;
  const Count eager_bytes_;
};

}  // namespace tutti::p2p
