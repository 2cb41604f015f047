package ristretto.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A GPU for tests: libraries under the names of NVIDIA's that run kernels on the processor. Made
 * with g++ from {@code src/test/native} when they are not there or older than their sources.
 */
final class StandIn {
  private static final Path SOURCES = Path.of("src", "test", "native").toAbsolutePath();
  private static final Path FOLDER = Path.of("target", "stand-in").toAbsolutePath();
  private static final Path OTHER = Path.of("target", "stand-in-13").toAbsolutePath();

  private StandIn() {}

  /** Makes the libraries; null, or why they cannot be made. */
  static String make() {
    try {
      Files.createDirectories(FOLDER);
      compile("driver.cpp", FOLDER, "libcuda.so.1", List.of());
      libraries(FOLDER, 12);
      return null;
    } catch (IOException e) {
      return "the stand-in GPU needs g++: " + e.getMessage();
    }
  }

  /** A folder with the libraries of CUDA 13, but for the driver. */
  static Path cuda13() throws IOException {
    Files.createDirectories(OTHER);
    libraries(OTHER, 13);
    return OTHER;
  }

  private static void libraries(Path folder, int major) throws IOException {
    String ending = ".so." + major;
    String version = "-DSTANDIN_MAJOR=" + major;
    String shim = "-DSTANDIN_SHIM=\"" + SOURCES.resolve("shim.h") + "\"";
    compile("nvrtc.cpp", folder, "libnvrtc" + ending, List.of(version, shim));
    compile("cublas.cpp", folder, "libcublas" + ending, List.of(version));
    compile("cufft.cpp", folder, "libcufft.so." + (major - 1), List.of(version));
    compile("cusolver.cpp", folder, "libcusolver.so." + (major - 1), List.of(version));
    compile("cublaslt.cpp", folder, "libcublasLt" + ending, List.of());
    String made = "-DSTANDIN_CUDA=" + major;
    if (major == 12) {
      compile("cudnn.cpp", folder, "libcudnn.so.9", List.of(made));
    } else {
      compile("cudnn.cpp", folder, "libcudnn.so.8", List.of(made, "-DSTANDIN_DNN=8907"));
    }
  }

  /** Path of the stand-in libcuda.so.1. */
  static Path driver() {
    return FOLDER.resolve("libcuda.so.1");
  }

  /** Folder of the other stand-in libraries. */
  static Path folder() {
    return FOLDER;
  }

  private static boolean isNewer(Path file, Path other) throws IOException {
    return Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(other)) > 0;
  }

  private static void compile(String source, Path folder, String library, List<String> options)
      throws IOException {
    Path from = SOURCES.resolve(source);
    Path to = folder.resolve(library);
    if (Files.exists(to) && isNewer(to, from) && isNewer(to, SOURCES.resolve("stream.h"))) {
      return;
    }
    // Of the driver alone, JCuda must take it for NVIDIA's.
    String name = library.startsWith("libcuda.") ? library : "stand-in-" + library;
    Path aside = Files.createTempFile(folder, "new", ".so");
    var command =
        new ArrayList<>(
            List.of("g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-Wl,-soname," + name));
    command.addAll(options);
    command.addAll(List.of("-o", aside.toString(), from.toString(), "-ldl"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new UncheckedIOException(new IOException(source + " must compile:\n" + said));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    Files.move(aside, to, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }
}
