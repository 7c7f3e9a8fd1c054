// The hand-written loops: what a careful C++ programmer writes for one expression, fused.
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

struct Particles {
  const int64_t* offsets;
  const float *pt, *eta, *phi;

  float mass(int64_t i, int64_t j) const {
    return std::sqrt(2 * pt[i] * pt[j] * (std::cosh(eta[i] - eta[j]) - std::cos(phi[i] - phi[j])));
  }
};

}  // namespace

extern "C" {

// The heaviest pair of each list; valid = 0 where there is none.
void max_pair_mass(int64_t lists, const int64_t* offsets, const float* pt, const float* eta,
                   const float* phi, float* out, uint8_t* valid) {
  const Particles p{offsets, pt, eta, phi};
  for (int64_t k = 0; k < lists; k++) {
    float best = -INFINITY;
    for (int64_t i = offsets[k]; i < offsets[k + 1]; i++)
      for (int64_t j = i + 1; j < offsets[k + 1]; j++) best = std::max(best, p.mass(i, j));
    out[k] = best;
    valid[k] = offsets[k + 1] - offsets[k] >= 2;
  }
}

// Pairs of opposite charge above 60: the heaviest, their number, a histogram of bins over [lo, hi).
void filtered_pairs(int64_t lists, const int64_t* offsets, const float* pt, const float* eta,
                    const float* phi, const int32_t* charge, int64_t bins, double lo, double hi,
                    float* out, uint8_t* valid, int64_t* count, int64_t* histogram) {
  const Particles p{offsets, pt, eta, phi};
  const double scale = bins / (hi - lo);
  for (int64_t k = 0; k < lists; k++) {
    float best = -INFINITY;
    int64_t n = 0;
    for (int64_t i = offsets[k]; i < offsets[k + 1]; i++)
      for (int64_t j = i + 1; j < offsets[k + 1]; j++) {
        if (charge[i] == charge[j]) continue;
        const float m = p.mass(i, j);
        if (!(m > 60)) continue;
        best = std::max(best, m);
        n++;
        if (m >= lo && m < hi)
          histogram[std::min(static_cast<int64_t>((m - lo) * scale), bins - 1)]++;
      }
    out[k] = best;
    valid[k] = n > 0;
    count[k] = n;
  }
}

// SIMD only where lists are long enough to win by it.
void sum_of_squares(int64_t lists, const int64_t* offsets, const double* x, double* out) {
  for (int64_t k = 0; k < lists; k++) {
    double sum = 0;
    const int64_t begin = offsets[k], end = offsets[k + 1];
    if (end - begin < 32) {
      for (int64_t i = begin; i < end; i++) sum += x[i] * x[i];
    } else {
#pragma omp simd reduction(+ : sum)
      for (int64_t i = begin; i < end; i++) sum += x[i] * x[i];
    }
    out[k] = sum;
  }
}

void quadratic(int64_t n, const double* a, const double* b, const double* c, double* out) {
  for (int64_t i = 0; i < n; i++)
    out[i] = (-b[i] + std::sqrt(b[i] * b[i] - 4 * a[i] * c[i])) / (2 * a[i]);
}

/// What bench/apply.py asks of a Python function: f(2 x, y) + 1.
void bent(int64_t n, const double* x, const double* y, double* out) {
  for (int64_t i = 0; i < n; i++) {
    const double a = 2 * x[i], b = y[i];
    out[i] = (a > b ? a * a + b : a - b * 0.5) + 1;
  }
}

}  // extern "C"
