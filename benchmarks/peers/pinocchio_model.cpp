// A serial arm as Pinocchio's model, made through a plain C function. Nothing here is timed: it is
// compiled without optimisation, which for these headers is a matter of seconds or minutes.

#include <pinocchio/multibody.hpp>

#include <exception>
#include <string>

namespace pin = pinocchio;

// Makes a model and its data, which live as long as the process. Per joint: 12 numbers of its
// placement (rotation by rows, then position), 10 of its body (mass, centre, tensor about the centre
// xx xy xz yy yz zz), armature, 1 if it slides. Returns 0, or 1 if Pinocchio refused.
extern "C" int armdyn_pin_new(int n, const double* gravity, const double* joints,
                              pin::Model** made, pin::Data** its_data) {
  try {
    pin::Model& model = *new pin::Model;
    model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(gravity);
    pin::JointIndex parent = 0;
    for (int i = 0; i < n; ++i) {
      const double* p = joints + 24 * i;
      const pin::SE3 placement(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(p),
                               Eigen::Map<const Eigen::Vector3d>(p + 9));
      const std::string name = std::to_string(i);
      parent = p[23] != 0.0 ? model.addJoint(parent, pin::JointModelPZ(), placement, name)
                            : model.addJoint(parent, pin::JointModelRZ(), placement, name);
      Eigen::Matrix3d tensor;
      tensor << p[16], p[17], p[18], p[17], p[19], p[20], p[18], p[20], p[21];
      const pin::Inertia body(p[12], Eigen::Map<const Eigen::Vector3d>(p + 13), tensor);
      model.appendBodyToJoint(parent, body, pin::SE3::Identity());
      model.armature[i] = p[22];
    }
    *made = &model;
    *its_data = new pin::Data(model);
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}
