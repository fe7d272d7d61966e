// Operators of your own: the program that registers them compiles models that use them.
//
//   int main(int argc, char** argv) {
//     frit::register_operator(my_soft_cap);                               // derives from Operator
//     frit::ref::register_reference({"com.example.SoftCap", 1, 1, my_soft_cap_reference});
//     return frit::run_program(argc, argv);                               // apps/frit/program.h
//   }
//
// Whole example: apps/own_operator. Register before the first model is read; nothing is locked.
#pragma once

#include "ops/operator.h"
#include "ops/reference/call.h"

namespace frit {

/// `op` must live for ever. Its domain must not be ONNX's own (""), and the pair of domain and type
/// must be new: FRIT_ASSERTs both.
void register_operator(const Operator& op);

/// Whether register_operator has been called: such kernels belong to this program alone.
bool has_registered_operators();

namespace ref {

/// The double reference of a registered operator; without one frit builds and runs models with it
/// but cannot verify them, nor fold its constants. `entry.type` is "domain.Type" and must live for
/// ever.
void register_reference(const Entry& entry);

}  // namespace ref

}  // namespace frit
