package ristretto.nnet3.tool;

import java.util.ArrayList;
import java.util.List;

/**
 * Options of Kaldi's about how computations are done there, for scripts that give them: they are
 * accepted, and a warning says which of those given have no effect.
 */
final class ComputationOptions {
  private final List<Option<String>> all = new ArrayList<>();

  ComputationOptions(Options options) {
    for (String name : List.of("read-cache", "write-cache", "binary-write-cache", "use-gpu")) {
      all.add(options.string(name, "", "Has no effect"));
    }
  }

  void tell(Log log) {
    for (Option<String> option : all) {
      if (!option.get().isEmpty()) {
        log.warning("The option --%s has no effect.", option.name);
      }
    }
  }
}
