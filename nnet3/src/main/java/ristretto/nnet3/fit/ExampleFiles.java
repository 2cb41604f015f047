package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import ristretto.kernels.FileException;

/**
 * Where the examples of a training lie: as trainings make them, or as Kaldi's get_egs.sh does.
 *
 * @param folder of all
 * @param kaldi whether they are Kaldi's
 */
record ExampleFiles(Path folder, boolean kaldi) {
  private static final String MARKER = "complete";
  private static final String COUNT = "info/num_archives";

  /** Those that a folder is to have. */
  static ExampleFiles ours(Path folder) {
    return new ExampleFiles(folder, false);
  }

  /** Those that a folder has. */
  static ExampleFiles found(Path folder) {
    boolean kaldi = Files.exists(folder.resolve(COUNT));
    var files = new ExampleFiles(folder, kaldi);
    if (!files.isComplete() || kaldi && !Files.exists(files.valid())) {
      throw new FileException(
          "[nnet3-fit] --egs-dir must have a file %s, as a training makes it, or %s and valid_diagnostic.egs, as Kaldi's get_egs.sh does; got %s; give another, or leave it out."
              .formatted(MARKER, COUNT, folder),
          null);
    }
    return files;
  }

  boolean isComplete() {
    return Files.exists(marker());
  }

  private Path marker() {
    return folder.resolve(kaldi ? COUNT : MARKER);
  }

  /** Says that all are there. */
  void complete(int archives) {
    FitFiles.write(marker(), archives + "\n");
  }

  /** How many there are to train with. */
  int archives() {
    return Integer.parseInt(FitFiles.read(marker()).strip());
  }

  Path train(int archive) {
    return folder.resolve(
        kaldi
            ? String.format(Locale.ROOT, "egs.%d.ark", archive + 1)
            : String.format(Locale.ROOT, "train.%d.ark", archive));
  }

  Path valid() {
    return folder.resolve(kaldi ? "valid_diagnostic.egs" : "valid.ark");
  }

  /** For combination, if there are such. */
  Path combine() {
    return folder.resolve("combine.egs");
  }
}
