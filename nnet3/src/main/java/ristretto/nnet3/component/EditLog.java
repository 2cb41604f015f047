package ristretto.nnet3.component;

/** Hears what edits did. */
public interface EditLog {
  /** What was done. */
  void info(String text);

  /** What was not done, and why. */
  void warning(String text);
}
