/* The sentences of error.h: what is wrong, and what the caller can do. */
#include "error.h"

static const char* kernel_error_text(int halide_code) {
  switch (halide_code) {
    case 3:
      return "a kernel was given a buffer of another element type; rebuild the package";
    case 4:
      return "a kernel would read or write outside a buffer; rebuild the package and report this";
    case 8:
      return "a kernel was given a buffer of other extents or strides; rebuild the package";
    case 11:
      return "a kernel's temporaries do not fit their slab; rebuild the package and report this";
    case 24:
      return "a buffer is not aligned as its kernel was compiled for; see the alignments in the "
             "header";
    default:
      return "a kernel's own check failed; rebuild the package and report this";
  }
}

const char* frit_error_text(int code) {
  switch (code) {
    case FRIT_OK:
      return "success";
    case FRIT_NULL_ARGUMENT:
      return "a context, options or io pointer is null";
    case FRIT_OPTIONS_SIZE:
      return "options.size is smaller than the options struct of this package; set it to sizeof "
             "of that struct";
    case FRIT_THREAD_COUNT:
      return "options.threads is outside what the package was built for; see the header";
    case FRIT_NO_ARENA:
      return "options.arena is null; give at least arena_bytes(threads) bytes";
    case FRIT_ARENA_ALIGNMENT:
      return "options.arena is not aligned to 64 bytes";
    case FRIT_ARENA_SIZE:
      return "options.arena_bytes is less than arena_bytes(options.threads)";
    case FRIT_THREAD_START:
      return "a worker thread could not be started; ask for fewer threads";
    case FRIT_NOT_INITIALISED:
      return "the context was never initialised, or was released";
    case FRIT_NULL_TENSOR:
      return "an input or output pointer in io is null";
    case FRIT_TENSOR_ALIGNMENT:
      return "an input or output pointer in io is not aligned as the header says";
    case FRIT_TENSOR_OVERLAP:
      return "an output in io overlaps an input, another output or the arena";
    case FRIT_SLAB_FULL:
      return "a kernel's temporaries do not fit their slab; rebuild the package and report this";
    case FRIT_NO_WEIGHTS:
      return "options.weights is null; map the package's .weights file and point it there";
    case FRIT_WEIGHTS_ALIGNMENT:
      return "options.weights is not aligned to 64 bytes; map the file instead of reading it, or "
             "read it into aligned memory";
    case FRIT_WEIGHTS_SIZE:
      return "the weights are fewer bytes than this package's weights file has; is the file empty "
             "or cut off? copy it again";
    case FRIT_WEIGHTS_KIND:
      return "options.weights does not point at a weights file of frit";
    case FRIT_WEIGHTS_VERSION:
      return "the weights file has another format than this package reads; build both again";
    case FRIT_WEIGHTS_PACKAGE:
      return "the weights file belongs to another package, or to another build of this one";
    case FRIT_WEIGHTS_DAMAGED:
      return "the weights file is damaged: its checksum or header is wrong; copy it again";
    case FRIT_WEIGHTS_FILE:
      return "the weights file cannot be opened or mapped; errno says why";
    case FRIT_CPU_LEVEL:
      return "options.cpu_level is no level that this package was built for; see the header";
    case FRIT_CPU_LACKS_LEVEL:
      return "this CPU lacks what the CPU level asked for, or the package's lowest, needs";
    default:
      return code > FRIT_KERNEL && code < 2 * FRIT_KERNEL ? kernel_error_text(code - FRIT_KERNEL)
                                                          : "no error has this code";
  }
}
