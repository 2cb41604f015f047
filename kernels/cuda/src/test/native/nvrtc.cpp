// A stand-in for NVRTC: g++ makes a shared library of a program, which the stand-in driver loads.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <unistd.h>

#ifndef STANDIN_SHIM
#error STANDIN_SHIM names the file shim.h
#endif
#ifndef STANDIN_MAJOR
#define STANDIN_MAJOR 12
#endif

namespace {
struct Program {
  std::string source, name, log, image;
};

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

const int archs[] = {75, 80, 86, 89, 90};
}

extern "C" {
int nvrtcVersion(int* major, int* minor) {
  *major = STANDIN_MAJOR;
  *minor = 0;
  return 0;
}

int nvrtcGetNumSupportedArchs(int* n) {
  *n = sizeof archs / sizeof *archs;
  return 0;
}

int nvrtcGetSupportedArchs(int* all) {
  memcpy(all, archs, sizeof archs);
  return 0;
}

int nvrtcCreateProgram(Program** program, const char* source, const char* name, int headers,
                       const char* const*, const char* const*) {
  if (headers != 0) return 3;
  *program = new Program{source, name, "", ""};
  return 0;
}

int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}

int nvrtcCompileProgram(Program* program, int options, const char* const* option) {
  bool architecture = false;
  for (int k = 0; k < options; k++) {
    std::string o = option[k];
    if (o.rfind("--gpu-architecture=", 0) == 0) {
      architecture = true;
    } else if (o != "-std=c++17" && o != "-fmad=false" && o != "-prec-div=true" &&
               o != "-prec-sqrt=true" && o != "-ftz=false" && o != "-w") {
      program->log = "nvrtc: error: unrecognized option " + o + "\n";
      return 5;
    }
  }
  if (!architecture) return 5;
  char folder[] = "/tmp/standin-XXXXXX";
  if (!mkdtemp(folder)) return 1;
  std::string base = folder;
  {
    std::ofstream out(base + "/all.cpp");
    out << read(STANDIN_SHIM) << program->source << "\n";
    std::regex kernel("(?:KERNEL|__global__)\\s+void\\s+(\\w+)\\s*\\(");
    auto end = std::sregex_iterator();
    for (auto k = std::sregex_iterator(program->source.begin(), program->source.end(), kernel); k != end; ++k) {
      out << "STANDIN_KERNEL(" << (*k)[1] << ")\n";
    }
  }
  // Optimizing long chains of choices takes g++ all memory there is.
  const char* more = getenv("STANDIN_CXXFLAGS");
  std::string rest = " -std=c++17 -w -shared -fPIC -ffp-contract=off -fno-strict-aliasing -fno-exceptions " +
                     std::string(more ? more : "") + " -o " + base + "/all.so " + base + "/all.cpp -lm 2> " + base + "/log";
  std::string command = "(ulimit -v 1000000; ulimit -t 20; g++ -O1" + rest + ") || (ulimit -v 2000000; g++ -O0" + rest + ")";
  int status = system(command.c_str());
  program->log = read(base + "/log");
  size_t at;
  while ((at = program->log.find("program.cu")) != std::string::npos) {
    program->log.replace(at, 10, program->name);
  }
  if (status == 0) program->image = "STANDIN-" + read(base + "/all.so");
  for (const char* file : {"/all.cpp", "/all.so", "/log"}) unlink((base + file).c_str());
  rmdir(folder);
  return status == 0 ? 0 : 6;
}

int nvrtcGetProgramLogSize(Program* program, size_t* bytes) {
  *bytes = program->log.size() + 1;
  return 0;
}

int nvrtcGetProgramLog(Program* program, char* text) {
  memcpy(text, program->log.c_str(), program->log.size() + 1);
  return 0;
}

// The driver is given no size, so that it comes first.
int nvrtcGetCUBINSize(Program* program, size_t* bytes) {
  *bytes = program->image.size() + 8;
  return 0;
}

int nvrtcGetCUBIN(Program* program, char* image) {
  unsigned long long size = program->image.size();
  memcpy(image, "STANDIN-", 8);
  memcpy(image + 8, &size, 8);
  memcpy(image + 16, program->image.data() + 8, size - 8);
  return 0;
}

int nvrtcGetPTXSize(Program*, size_t* bytes) {
  *bytes = 0;
  return 0;
}

int nvrtcGetPTX(Program*, char*) { return 0; }
}
