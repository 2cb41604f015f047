package ristretto.jmh.nnet3;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import ristretto.jmh.start.Launcher;

/**
 * Measures compilation and computation of a request in new processes, started like a user's
 * commands.
 *
 * @param runs number of processes
 * @param seconds computing time per process
 */
record ColdCommand(Launcher launcher, int runs, double seconds) {
  /** Returns the medians of the processes' times. */
  ColdTimes measure(Recipe recipe, String request, int threads) throws IOException {
    Path folder = Files.createTempDirectory("ristretto-cold");
    Path model = folder.resolve("model.raw");
    Path file = folder.resolve("request.txt");
    try {
      recipe.nnet(request).save(model.toString(), true);
      Files.writeString(file, recipe.requestText(request));
      List<ColdTimes> all = new ArrayList<>();
      for (int k = 0; k < runs; k++) {
        all.add(
            ColdTimes.parse(
                launcher.nnet3(
                    threads,
                    "nnet3-compile",
                    "--check=false",
                    "--seconds=" + seconds,
                    model.toString(),
                    file.toString())));
      }
      return ColdTimes.median(all);
    } finally {
      Files.deleteIfExists(model);
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }
}
