package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import ristretto.kernels.FileException;

/**
 * Paths of the examples of a training, in the layout of {@link TrainingData} or that of Kaldi's
 * get_egs.sh.
 *
 * @param folder folder of all files
 * @param kaldi true for Kaldi's layout
 * @param suffix end of the names of files in Kaldi's layout, egs or cegs
 */
record ExampleFiles(Path folder, boolean kaldi, String suffix) {
  private static final String MARKER = "complete";
  private static final String COUNT = "info/num_archives";

  /** Returns the paths of examples to be made in a folder. */
  static ExampleFiles ours(Path folder) {
    return new ExampleFiles(folder, false, "egs");
  }

  /**
   * Returns the paths of existing examples.
   *
   * @throws FileException if the folder has no complete examples
   */
  static ExampleFiles found(Path folder, String suffix) {
    boolean kaldi = Files.exists(folder.resolve(COUNT));
    var files = new ExampleFiles(folder, kaldi, suffix);
    if (!files.isComplete() || kaldi && !Files.exists(files.valid())) {
      throw new FileException(
          "[nnet3-fit] --egs-dir must have a file %s, written by nnet3-fit, or %s and valid_diagnostic.%s, written by Kaldi's get_egs.sh; got %s; give another, or leave it out."
              .formatted(MARKER, COUNT, suffix, folder),
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

  /** Marks the examples as complete. */
  void complete(int archives) {
    FitFiles.write(marker(), archives + "\n");
  }

  /** Returns the number of training archives. */
  int archives() {
    return Integer.parseInt(FitFiles.read(marker()).strip());
  }

  Path train(int archive) {
    return folder.resolve(
        kaldi
            ? String.format(Locale.ROOT, "%s.%d.ark", suffix, archive + 1)
            : String.format(Locale.ROOT, "train.%d.ark", archive));
  }

  Path valid() {
    return folder.resolve(kaldi ? "valid_diagnostic." + suffix : "valid.ark");
  }

  /** Path of Kaldi's examples for combination, which may not exist. */
  Path combine() {
    return folder.resolve("combine." + suffix);
  }
}
