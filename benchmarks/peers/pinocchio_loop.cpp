// Pinocchio's algorithms in a loop over many states, called from Python through a plain C function.
// Model and data are made before; nothing is allocated inside the loop.

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <cstring>
#include <exception>
#include <string>

namespace pin = pinocchio;
using Eigen::Index;

namespace {

// Writes a matrix in C order; returns what follows it.
template <class Matrix>
double* write(const Matrix& matrix, double* out) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index k = 0; k < matrix.cols(); ++k) *out++ = matrix(i, k);
  return out;
}

// The same for a symmetric matrix whose upper half is filled.
template <class Matrix>
double* write_symmetric(const Matrix& upper, double* out) {
  for (Index i = 0; i < upper.rows(); ++i)
    for (Index k = 0; k < upper.cols(); ++k) *out++ = i <= k ? upper(i, k) : upper(k, i);
  return out;
}

}  // namespace

// Returns 0, or 1 if there is no such algorithm, or 2 if Pinocchio refused. `out` may be null; where
// it is not, answers are copied there.
extern "C" int armdyn_pin_run(pin::Model* model, pin::Data* data, const char* algorithm,
                              Index count, const double* q_rows, const double* qd_rows,
                              const double* x_rows, double* out) {
  const pin::Model& m = *model;
  pin::Data& d = *data;
  const Index n = m.nv;
  const std::string wanted(algorithm);
  const auto local = pin::Convention::LOCAL, world = pin::Convention::WORLD;
  Eigen::VectorXd q_here(n), qd_here(n), x_here(n);
  // the library holds these algorithms for references (the regressor for vectors); called with other
  // types they would be compiled again, here, which takes minutes
  const Eigen::Ref<const Eigen::VectorXd> q(q_here), qd(qd_here), x(x_here);
  // Calls `step` at every state; `keep` copies its result where answers are wanted.
  const auto run = [&](auto step, auto keep) {
    double* to = out;
    for (Index k = 0; k < count; ++k) {
      std::memcpy(q_here.data(), q_rows + k * n, n * sizeof(double));
      std::memcpy(qd_here.data(), qd_rows + k * n, n * sizeof(double));
      std::memcpy(x_here.data(), x_rows + k * n, n * sizeof(double));
      step();
      if (to) to = keep(to);
    }
  };
  const auto mass = [&](double* to) { return write_symmetric(d.M, to); };
  const auto acceleration = [&](double* to) { return write(d.ddq, to); };
  try {
    if (wanted == "crba_local") {
      run([&] { pin::crba(m, d, q, local); }, mass);
    } else if (wanted == "crba_world") {
      run([&] { pin::crba(m, d, q, world); }, mass);
    } else if (wanted == "rnea") {
      run([&] { pin::rnea(m, d, q, qd, x); }, [&](double* to) { return write(d.tau, to); });
    } else if (wanted == "aba_local") {
      run([&] { pin::aba(m, d, q, qd, x, local); }, acceleration);
    } else if (wanted == "aba_world") {
      run([&] { pin::aba(m, d, q, qd, x, world); }, acceleration);
    } else if (wanted == "regressor") {
      run([&] { pin::computeJointTorqueRegressor(m, d, q_here, qd_here, x_here); },
          [&](double* to) { return write(d.jointTorqueRegressor, to); });
    } else if (wanted == "rnea_derivatives") {
      run([&] { pin::computeRNEADerivatives(m, d, q, qd, x); },
          [&](double* to) { return write_symmetric(d.M, write(d.dtau_dv, write(d.dtau_dq, to))); });
    } else if (wanted == "aba_derivatives") {
      run([&] { pin::computeABADerivatives(m, d, q, qd, x); },
          [&](double* to) {
            return write_symmetric(d.Minv, write(d.ddq_dv, write(d.ddq_dq, to)));
          });
    } else {
      return 1;
    }
  } catch (const std::exception&) {
    return 2;
  }
  return 0;
}
