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
 * Has JCuda's native library loaded from the user's cache folder. Left alone, JCuda does not find
 * it where its jars are modules, and copies it to the system's folder for temporary files, where
 * others may have put something under its name.
 */
final class JCudaLibrary {
  private static final String PLACE = "java.io.tmpdir";

  private JCudaLibrary() {}

  /** Loads it; the driver's own library is loaded already. Null, or what went wrong. */
  static synchronized String load() {
    String file =
        LibUtils.createLibraryFileName(
            LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
    // With or without modules, one class loader has both jars.
    URL from = JCudaDriver.class.getClassLoader().getResource("lib/" + file);
    if (from == null) {
      return "there is no " + file + " among the jars";
    }
    String before = System.getProperty(PLACE);
    try {
      Path folder = CacheFolder.of("native").resolve("jcuda");
      CacheFolder.keep(from, folder.resolve(file));
      // Where JCuda looks first.
      System.setProperty(PLACE, folder.toString());
      JCudaDriver.setExceptionsEnabled(false);
      return null;
    } catch (IOException e) {
      return "it cannot be kept in the cache folder: " + e;
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
