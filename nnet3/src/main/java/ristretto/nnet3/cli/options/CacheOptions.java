package ristretto.nnet3.cli.options;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;

/**
 * Kaldi's options to save the computation requests of a run and to compile them at the start of the
 * next one.
 */
public final class CacheOptions {
  private final Option<String> read;
  private final Option<String> write;

  public CacheOptions(ParseOptions options) {
    read =
        options.string(
            "read-cache", "", "File of --write-cache with computations to compile at the start");
    write = options.string("write-cache", "", "Text file for a list of the compiled computations");
    options.bool("binary-write-cache", true, "Accepted; the file is text");
  }

  /**
   * Passes the requests of the file of {@code --read-cache} to {@code prepare}; logs a warning if
   * the file is missing or belongs to another network.
   */
  public void read(Consumer<ComputationRequest> prepare, CommandLog log) {
    if (read.get().isEmpty()) {
      return;
    }
    if (!read.get().endsWith("|") && !Files.exists(Path.of(read.get()))) {
      log.warning(
          "Could not open cached computations %s. Probably this is the first training iteration.",
          read.get());
      return;
    }
    List<ComputationRequest> requests = SavedRequests.read(read.get());
    try {
      requests.forEach(prepare);
      log.info("Read %d cached computations from %s", requests.size(), read.get());
    } catch (ComputationException e) {
      log.warning(
          "The cached computations %s are of another network, and are not used: %s",
          read.get(), e.getMessage());
    }
  }

  public void write(Collection<ComputationRequest> requests, CommandLog log) {
    if (!write.get().isEmpty()) {
      SavedRequests.save(write.get(), requests);
      log.info("Wrote %d cached computations to %s", requests.size(), write.get());
    }
  }
}
