#include "generators/emit/kernel_library.h"

#include <HalideRuntime.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

#include "generators/emit/fork_pool.h"
#include "generators/emit/tool.h"

namespace frit {

/// Made at build from runtime/ (runtime/CMakeLists.txt): file name -> text.
const std::vector<std::pair<std::string, std::string>>& runtime_sources();

namespace {

namespace fs = std::filesystem;

// What kernels call by name (extern stages), with the header that it needs.
constexpr const char* kCalled[] = {"buffer.h", "topk.h", "topk.c"};

// What kernels ask of a runtime, for kernels run alone: memory from the heap, loops in order.
constexpr const char* kShim = R"(
#include <stdlib.h>
void *halide_malloc(void *u, size_t n) { (void)u; return aligned_alloc(64, (n + 127) / 64 * 64); }
void halide_free(void *u, void *p) { (void)u; free(p); }
int halide_do_par_for(void *u, int (*f)(void *, int, unsigned char *), int lo, int n,
                      unsigned char *closure) {
  for (int i = lo; i < lo + n; ++i) {
    int wrong = f(u, i, closure);
    if (wrong) return wrong;
  }
  return 0;
}
)";

// With a device runtime: its errors are kept instead of ending the process.
constexpr const char* kDeviceShim = R"(
#include <string.h>
extern void (*halide_set_error_handler(void (*)(void *, const char *)))(void *, const char *);
static char words[2048];
static void keep(void *u, const char *text) {
  (void)u;
  strncat(words, text, sizeof words - strlen(words) - 1);
}
void frit_shim_start(void) { halide_set_error_handler(keep); }
const char *frit_shim_error(void) {
  static char last[sizeof words];
  strcpy(last, words);
  words[0] = 0;
  return last;
}
)";

// Halide's runtime for `target` as an object file, made in a child so that this process stays free
// of Halide objects.
Status make_device_runtime(const Halide::Target& target, const std::string& path) {
  Halide::Target runtime = target;
  runtime.set_feature(Halide::Target::NoRuntime, false);
  const ForkJob job = {"the runtime of " + target.to_string(), [&]() -> Result<std::string> {
                         Halide::compile_standalone_runtime(path, runtime);
                         return std::string("done");
                       }};
  const auto outcomes = run_forked({job}, 1, {}, {}, {});
  if (!outcomes[0]) return fail(outcomes[0].error());
  return {};
}

Result<std::string> make_folder() {
  std::string pattern = (fs::temp_directory_path() / "frit-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    return fail("kernel-link",
                "cannot make a temporary folder; set TMPDIR to a folder that can be written");
  return pattern;
}

Status run_cc(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = toolchain_for(Architecture::kHost).cc;
  words.insert(words.end(), arguments.begin(), arguments.end());
  Status done = run_tool({words, ""});
  if (!done) done.error().code = "kernel-link";
  return done;
}

// Writes the shim as an object file; it is compiled once in a process.
Status put_shim(bool device, const std::string& folder, const std::string& object) {
  static std::mutex lock;
  static std::map<bool, std::string> compiled;
  const std::lock_guard guard(lock);
  std::string& bytes = compiled[device];
  if (bytes.empty()) {
    const std::string source = folder + "/shim.c";
    std::ofstream text(source);
    text << (device ? kDeviceShim : kShim);
    for (const auto& [name, code] : runtime_sources()) {
      if (std::find(std::begin(kCalled), std::end(kCalled), name) == std::end(kCalled)) continue;
      std::ofstream(folder + "/" + name) << code;
      if (name.ends_with(".c")) text << "#include \"" << name << "\"\n";
    }
    text.close();
    FRIT_TRY(run_cc({"-O1", "-fPIC", "-c", "-o", object, source}));
    std::ifstream file(object, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    return {};
  }
  std::ofstream(object, std::ios::binary) << bytes;
  return {};
}

Status link(const CompiledModel& model, const std::string& folder, const std::string& output) {
  const bool device = model.target.has_gpu_feature();
  const std::string shim = folder + "/shim.o";
  FRIT_TRY(put_shim(device, folder, shim));
  std::vector<std::string> words = {"-shared", "-o", output, shim};
  std::set<std::string> objects;
  for (const Kernel& kernel : model.kernels) objects.insert(kernel.object_path);
  // A response file: a big model has more objects than a command line holds.
  std::ofstream list(folder + "/objects");
  for (const std::string& object : objects) list << '"' << object << "\"\n";
  list.close();
  words.push_back("@" + folder + "/objects");
  if (device) {
    FRIT_TRY(make_device_runtime(model.target, folder + "/runtime.o"));
    words.push_back(folder + "/runtime.o");
    words.push_back("-lpthread");
    words.push_back("-ldl");
  }
  words.push_back("-lm");
  return run_cc(words);
}

halide_type_t buffer_type(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(dtype == DType::kBool ? 1 : size_bytes(dtype) * 8);
  switch (dtype) {
    case DType::kF32:
    case DType::kF64:
    case DType::kF16:
      return {halide_type_float, bits, 1};
    case DType::kBF16:
      return {halide_type_bfloat, bits, 1};
    case DType::kI2:
    case DType::kI4:
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
      return {halide_type_int, bits, 1};
    default:
      return {halide_type_uint, bits, 1};
  }
}

}  // namespace

Result<std::unique_ptr<KernelLibrary>> KernelLibrary::load(const CompiledModel& model) {
  const Result<std::string> folder = make_folder();
  if (!folder) return fail(folder.error());
  const std::string shared = *folder + "/kernels.so";
  const Status linked = link(model, *folder, shared);
  std::unique_ptr<KernelLibrary> library(new KernelLibrary());
  if (linked) library->handle_ = ::dlopen(shared.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string problem = linked && !library->handle_ ? ::dlerror() : "";
  std::error_code ignored;
  fs::remove_all(*folder, ignored);
  if (!linked) return fail(linked.error());
  if (!library->handle_)
    return fail("kernel-load", "cannot load the kernels: " + problem + "; please report it");
  for (const Kernel& kernel : model.kernels) {
    Loaded loaded;
    loaded.function = ::dlsym(library->handle_, (kernel.symbol + "_argv").c_str());
    loaded.arguments = kernel.arguments;
    loaded.symbol = kernel.symbol;
    if (!loaded.function)
      return fail("kernel-load", "the kernels hold no " + kernel.symbol +
                                     "; empty the cache folder (frit doctor names it)");
    library->kernels_.push_back(std::move(loaded));
  }
  if (model.target.has_gpu_feature()) library->start_device();
  return library;
}

void KernelLibrary::start_device() {
  const auto find = [&](auto& function, const char* name) {
    void* symbol = ::dlsym(handle_, name);
    FRIT_ASSERT(symbol != nullptr, std::string("Halide's runtime holds no ") + name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  void (*start)() = nullptr;
  find(start, "frit_shim_start");
  find(device_.copy_to_host, "halide_copy_to_host");
  find(device_.free, "halide_device_free");
  find(device_.last_error, "frit_shim_error");
  start();
}

KernelLibrary::~KernelLibrary() {
  if (handle_) ::dlclose(handle_);
}

int KernelLibrary::leave_device(const std::vector<KernelArgument>& arguments,
                                std::vector<halide_buffer_t>& buffers) const {
  int code = 0;
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    const bool fetch =
        arguments[a].is_output && (buffers[a].flags & halide_buffer_flag_device_dirty);
    if (fetch && code == 0) code = device_.copy_to_host(nullptr, &buffers[a]);
    device_.free(nullptr, &buffers[a]);
  }
  return code;
}

Status KernelLibrary::run(std::size_t index, const std::vector<void*>& addresses) const {
  const Loaded& kernel = kernels_.at(index);
  FRIT_ASSERT(addresses.size() == kernel.arguments.size(), "another number of buffers");
  std::vector<halide_buffer_t> buffers(addresses.size());
  std::vector<std::vector<halide_dimension_t>> dims(addresses.size());
  for (std::size_t a = 0; a < addresses.size(); ++a) {
    const KernelArgument& argument = kernel.arguments[a];
    for (const KernelArgument::Dim& dim : argument.dims) {
      dims[a].push_back({dim.min, dim.extent, dim.stride});
    }
    buffers[a].host = static_cast<std::uint8_t*>(addresses[a]) + argument.offset_bytes;
    buffers[a].type = buffer_type(argument.dtype);
    buffers[a].dimensions = static_cast<std::int32_t>(argument.dims.size());
    buffers[a].dim = dims[a].data();
    if (device_.free && !argument.is_output) buffers[a].flags = halide_buffer_flag_host_dirty;
  }
  // Halide's argv form: scalars (the user context) by address, buffers as they are.
  void* user_context = nullptr;
  std::vector<void*> argv = {&user_context};
  for (halide_buffer_t& buffer : buffers) argv.push_back(&buffer);
  const int code = reinterpret_cast<int (*)(void**)>(kernel.function)(argv.data());
  const int after = device_.free ? leave_device(kernel.arguments, buffers) : 0;
  if (code != 0 || after != 0) {
    Diagnostic problem = error("kernel-failed", fmt::format("{} returned Halide's code {}",
                                                            kernel.symbol, code ? code : after));
    if (device_.last_error) problem.notes.push_back(device_.last_error());
    return fail(std::move(problem));
  }
  return {};
}

}  // namespace frit
