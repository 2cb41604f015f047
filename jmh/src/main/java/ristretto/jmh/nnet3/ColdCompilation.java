package ristretto.jmh.nnet3;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.jmh.start.Launcher;

/** The first compilation of a request in new processes, as a user's command starts them. */
record ColdCompilation(Launcher launcher, int runs) {
  private static final Pattern TOLD = Pattern.compile("Compiled in ([0-9.]+) ms");

  /** Milliseconds, the median. */
  double measure(Recipe recipe, String request, int threads) throws IOException {
    Path folder = Files.createTempDirectory("ristretto-cold");
    Path model = folder.resolve("model.raw");
    Path file = folder.resolve("request.txt");
    try {
      recipe.nnet(request).save(model.toString(), true);
      Files.writeString(file, recipe.requestText(request));
      var millis = new double[runs];
      for (int k = 0; k < runs; k++) {
        millis[k] =
            millis(
                launcher.nnet3(
                    threads, "nnet3-compile", "--check=false", model.toString(), file.toString()));
      }
      Arrays.sort(millis);
      return millis[runs / 2];
    } finally {
      Files.deleteIfExists(model);
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  static double millis(String told) throws IOException {
    Matcher m = TOLD.matcher(told);
    if (!m.find()) {
      throw new IOException("nnet3-compile must say how long it took; got " + told);
    }
    return Double.parseDouble(m.group(1));
  }
}
