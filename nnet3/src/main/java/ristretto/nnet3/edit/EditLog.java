package ristretto.nnet3.edit;

/** Receiver of messages about edits. */
public interface EditLog {
  /** Log that discards all messages. */
  EditLog NONE =
      new EditLog() {
        @Override
        public void info(String text) {}

        @Override
        public void warning(String text) {}
      };

  /** Reports a completed edit. */
  void info(String text);

  /** Reports an edit that was not made, and the reason. */
  void warning(String text);
}
