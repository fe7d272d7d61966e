/* Handlers that kernels compiled with checks (debug packages) call before they give up.
 *
 * Each records FRIT_KERNEL + n in the worker and returns Halide's code -n, which the kernel returns
 * in turn. Callers pass further arguments that describe the fault; the calling conventions of our
 * targets let a callee ignore them, so only the worker is declared. Release kernels call none of
 * these and the linker drops the file. */
#include "error.h"
#include "worker.h"

#define FRIT_HANDLER(name, n)                                        \
  int name(void* user_context);                                      \
  int name(void* user_context) {                                     \
    frit_worker_fail((frit_worker*)user_context, FRIT_KERNEL + (n)); \
    return -(n);                                                     \
  }

void halide_error(void* user_context);
void halide_error(void* user_context) {
  frit_worker_fail((frit_worker*)user_context, FRIT_KERNEL + 1);
}

FRIT_HANDLER(halide_error_bounds_inference_call_failed, 1)
FRIT_HANDLER(halide_error_extern_stage_failed, 1)
FRIT_HANDLER(halide_error_explicit_bounds_too_small, 2)
FRIT_HANDLER(halide_error_bad_type, 3)
FRIT_HANDLER(halide_error_access_out_of_bounds, 4)
FRIT_HANDLER(halide_error_buffer_allocation_too_large, 5)
FRIT_HANDLER(halide_error_buffer_extents_too_large, 6)
FRIT_HANDLER(halide_error_constraints_make_required_region_smaller, 7)
FRIT_HANDLER(halide_error_constraint_violated, 8)
FRIT_HANDLER(halide_error_param_too_small_i64, 9)
FRIT_HANDLER(halide_error_param_too_small_u64, 9)
FRIT_HANDLER(halide_error_param_too_small_f64, 9)
FRIT_HANDLER(halide_error_param_too_large_i64, 10)
FRIT_HANDLER(halide_error_param_too_large_u64, 10)
FRIT_HANDLER(halide_error_param_too_large_f64, 10)
FRIT_HANDLER(halide_error_out_of_memory, 11)
FRIT_HANDLER(halide_error_buffer_argument_is_null, 12)
FRIT_HANDLER(halide_error_debug_to_file_failed, 13)
FRIT_HANDLER(halide_error_no_device_interface, 19)
FRIT_HANDLER(halide_error_unaligned_host_ptr, 24)
FRIT_HANDLER(halide_error_bad_fold, 25)
FRIT_HANDLER(halide_error_fold_factor_too_small, 26)
FRIT_HANDLER(halide_error_requirement_failed, 27)
FRIT_HANDLER(halide_error_buffer_extents_negative, 28)
FRIT_HANDLER(halide_error_specialize_fail, 31)
FRIT_HANDLER(halide_error_host_is_null, 34)
FRIT_HANDLER(halide_error_bad_extern_fold, 35)
FRIT_HANDLER(halide_error_device_interface_no_device, 36)
FRIT_HANDLER(halide_error_host_and_device_dirty, 37)
FRIT_HANDLER(halide_error_buffer_is_null, 38)
FRIT_HANDLER(halide_error_bad_dimensions, 43)
FRIT_HANDLER(halide_error_device_dirty_with_no_device_support, 44)
FRIT_HANDLER(halide_error_storage_bound_too_small, 45)
FRIT_HANDLER(halide_error_split_factor_not_positive, 46)
FRIT_HANDLER(halide_error_vscale_invalid, 47)
