#include "bench/train_net.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tutti::bench {

Net::Net(int hidden)
    : hidden_(hidden),
      parameters_(kPixels * hidden + hidden + hidden * kDigits + kDigits),
      velocity_(parameters_.size()),
      weights_in_(parameters_.data()),
      bias_in_(weights_in_ + kPixels * hidden),
      weights_out_(bias_in_ + hidden),
      bias_out_(weights_out_ + hidden * kDigits),
      active_(hidden),
      back_(hidden) {}

void Net::randomise(std::uint64_t seed) {
  auto fill = [&](double* weights, int count, int inputs) {
    double limit = std::sqrt(6.0 / inputs);
    for (int i = 0; i < count; ++i) weights[i] = limit * (double(next_random(seed) >> 11) * 0x1p-52 - 1);
  };
  std::fill(parameters_.begin(), parameters_.end(), 0.0);
  fill(weights_in_, kPixels * hidden_, kPixels);
  fill(weights_out_, hidden_ * kDigits, hidden_);
}

void Net::forward(const std::uint8_t* row) {
  std::copy_n(bias_in_, hidden_, active_.begin());
  for (int p = 0; p < kPixels; ++p) {
    if (row[p] == 0) continue;  // half of all pixels
    double grey = double(row[p]) / kGreys;
    const double* weights = weights_in_ + p * hidden_;
    for (int h = 0; h < hidden_; ++h) active_[h] += grey * weights[h];
  }
  std::copy_n(bias_out_, kDigits, chance_);
  for (int h = 0; h < hidden_; ++h) {
    active_[h] = std::max(active_[h], 0.0);
    for (int d = 0; d < kDigits; ++d) chance_[d] += active_[h] * weights_out_[h * kDigits + d];
  }
  double top = *std::max_element(chance_, chance_ + kDigits), sum = 0;
  for (double& c : chance_) sum += c = std::exp(c - top);
  for (double& c : chance_) c /= sum;
}

double Net::add_gradient(std::span<const std::uint8_t> rows, std::span<double> gradient) {
  double* to_weights_in = gradient.data();
  double* to_bias_in = to_weights_in + kPixels * hidden_;
  double* to_weights_out = to_bias_in + hidden_;
  double* to_bias_out = to_weights_out + hidden_ * kDigits;
  double loss = 0;
  for (std::size_t at = 0; at < rows.size(); at += kRow) {
    const std::uint8_t* row = rows.data() + at;
    int digit = row[kPixels];
    forward(row);
    loss -= std::log(std::max(chance_[digit], 1e-300));
    chance_[digit] -= 1;  // now the gradient at the scores
    for (int d = 0; d < kDigits; ++d) to_bias_out[d] += chance_[d];
    for (int h = 0; h < hidden_; ++h) {
      double sum = 0;
      for (int d = 0; d < kDigits; ++d) {
        to_weights_out[h * kDigits + d] += active_[h] * chance_[d];
        sum += weights_out_[h * kDigits + d] * chance_[d];
      }
      back_[h] = active_[h] > 0 ? sum : 0;
      to_bias_in[h] += back_[h];
    }
    for (int p = 0; p < kPixels; ++p) {
      if (row[p] == 0) continue;
      double grey = double(row[p]) / kGreys;
      double* to = to_weights_in + p * hidden_;
      for (int h = 0; h < hidden_; ++h) to[h] += grey * back_[h];
    }
  }
  return loss;
}

std::int64_t Net::correct(std::span<const std::uint8_t> rows) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < rows.size(); at += kRow) {
    forward(rows.data() + at);
    count += std::max_element(chance_, chance_ + kDigits) - chance_ == rows[at + kPixels];
  }
  return count;
}

void Net::step(std::span<const double> gradient, double rate, double momentum) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    velocity_[i] = momentum * velocity_[i] - rate * gradient[i];
    parameters_[i] += velocity_[i];
  }
}

std::uint64_t Net::hash() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (double parameter : parameters_) {
    unsigned char bytes[sizeof parameter];
    std::memcpy(bytes, &parameter, sizeof parameter);
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace tutti::bench
