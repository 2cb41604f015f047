package ristretto.cuda;

import java.util.List;
import java.util.Optional;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** NVIDIA's driver, called through JCuda except for the functions of {@link Calls}. */
final class Driver {
  /** Oldest supported version of the driver's API. */
  private static final int OLDEST = 12000;

  /**
   * Candidate paths of the driver; containers and WSL keep it outside of the linker's search path.
   */
  private static final List<String> PLACES =
      List.of(
          "libcuda.so.1",
          "/usr/local/nvidia/lib64/libcuda.so.1",
          "/usr/lib/wsl/lib/libcuda.so.1",
          "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
          "/usr/lib64/libcuda.so.1",
          "/run/opengl-driver/lib/libcuda.so.1");

  /** Result of the search: the driver, or why there is none and what to do. */
  record Found(Driver driver, String remedy) {}

  private static Found found;
  private static volatile Library library;

  /** CUDA version of the driver, such as 12040 for 12.4. */
  final int version;

  private Driver(int version) {
    this.version = version;
  }

  /** Library of the driver; null before the driver is found. */
  static Library library() {
    return library;
  }

  /** Finds the driver; repeats the search until the driver is found. */
  static synchronized Found find() {
    if (found == null || found.driver == null) {
      found = search(places());
    }
    return found;
  }

  private static List<String> places() {
    String file = Libraries.setting("RISTRETTO_CUDA_DRIVER", "ristretto.cuda.driver");
    return file == null || file.isBlank() ? PLACES : List.of(file);
  }

  static Found search(List<String> places) {
    // JCuda's library links to the copy that is loaded here, wherever the file is.
    Optional<Library> loaded =
        places.stream().flatMap(place -> Library.load(place, 0).stream()).findFirst();
    if (loaded.isEmpty()) {
      return new Found(null, Missing.driver(places.getFirst()));
    }
    String trouble = JCudaLibrary.load();
    if (trouble != null) {
      return new Found(null, Missing.jcuda(trouble));
    }
    int status = JCudaDriver.cuInit(0);
    if (status == CUresult.CUDA_ERROR_NO_DEVICE) {
      return new Found(null, Missing.gpu());
    }
    if (status != CUresult.CUDA_SUCCESS) {
      return new Found(null, Missing.answer(CUresult.stringFor(status)));
    }
    library = loaded.get();
    int[] version = new int[1];
    JCudaDriver.cuDriverGetVersion(version);
    return version[0] < OLDEST
        ? new Found(null, Missing.version(words(version[0])))
        : new Found(new Driver(version[0]), "");
  }

  /** Formats version 12040 as 12.4. */
  static String words(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }
}
