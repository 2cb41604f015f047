package ristretto.nnet3.component;

/** Hears what edits did. */
public interface EditLog {
  /** Hears, and does nothing. */
  EditLog NONE =
      new EditLog() {
        @Override
        public void info(String text) {}

        @Override
        public void warning(String text) {}
      };

  /** What was done. */
  void info(String text);

  /** What was not done, and why. */
  void warning(String text);
}
