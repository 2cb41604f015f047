package ristretto.cuda;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.FileException;
import ristretto.kernels.cache.CacheFolder;

/**
 * Loads JCuda's native library from the user's cache folder. By default JCuda does not find the
 * library if its jars are modules, and copies it to the system's temporary folder, where another
 * user may have placed a file of that name.
 */
final class JCudaLibrary {
  private static final String PLACE = "java.io.tmpdir";

  private JCudaLibrary() {}

  /**
   * Loads JCuda's library; the driver's own library must be loaded already. Returns null on
   * success, or the reason of the failure.
   */
  static synchronized String load() {
    String file =
        LibUtils.createLibraryFileName(
            LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
    // One class loader has both jars, with or without modules.
    URL from = JCudaDriver.class.getClassLoader().getResource("lib/" + file);
    if (from == null) {
      return "there is no " + file + " among the jars";
    }
    String before = System.getProperty(PLACE);
    try {
      Path folder = CacheFolder.of("native").resolve("jcuda");
      CacheFolder.keep(from, folder.resolve(file));
      // JCuda searches this folder first.
      System.setProperty(PLACE, folder.toString());
      JCudaDriver.setExceptionsEnabled(false);
      return null;
    } catch (IOException e) {
      return "it cannot be extracted to the cache folder: " + e;
    } catch (FileException e) {
      return e.getMessage();
    } catch (LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    } finally {
      System.setProperty(PLACE, before);
    }
  }
}
