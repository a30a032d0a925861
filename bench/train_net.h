// A small network for `train`: images -> hidden units (ReLU) -> digit scores, softmax cross-entropy, SGD with momentum.
// Plain arrays and loops in double precision, so that summing a batch in another order (more ranks, say) moves the loss
// by rounding only. Knows nothing of MPI; one thread.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::bench {

constexpr int kPixels = 64;  // an image: 8 x 8
constexpr int kGreys = 16;   // a pixel is 0..kGreys
constexpr int kDigits = 10;
constexpr int kRow = kPixels + 1;  // a sample: its pixels, then the digit it shows; a byte each

class Net {
 public:
  explicit Net(int hidden);

  // He initialisation from a generator of our own: the same parameters on every machine.
  void randomise(std::uint64_t seed);

  // Adds the gradient of the summed loss of the samples in `rows` (kRow bytes each) to `gradient`, which has the size
  // of parameters(). Returns that loss: sum of -log(probability given to the right digit), in nats.
  double add_gradient(std::span<const std::uint8_t> rows, std::span<double> gradient);

  // How many samples get the right digit.
  std::int64_t correct(std::span<const std::uint8_t> rows);

  // velocity = momentum * velocity - rate * gradient; parameters += velocity
  void step(std::span<const double> gradient, double rate, double momentum);

  std::span<double> parameters() { return parameters_; }
  std::uint64_t hash() const;  // FNV-1a over the bits of all parameters

 private:
  void forward(const std::uint8_t* row);

  // All parameters in one array, so that one message carries them: weights into the hidden units [pixel][hidden], their
  // biases, weights into the scores [hidden][digit], their biases.
  int hidden_;
  std::vector<double> parameters_, velocity_;
  double *weights_in_, *bias_in_, *weights_out_, *bias_out_;
  std::vector<double> active_, back_;  // of the hidden units: value and gradient, for one sample
  double chance_[kDigits];             // softmax of the scores
};

// The next number of a splitmix64 sequence (Steele, Lea, Flood 2014).
std::uint64_t next_random(std::uint64_t& state);

}  // namespace tutti::bench
