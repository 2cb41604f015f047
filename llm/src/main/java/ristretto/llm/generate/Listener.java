package ristretto.llm.generate;

/** Receiver of the text of a generation; called on the thread that generates. */
@FunctionalInterface
public interface Listener {
  /** Receives the next piece of the text. */
  void text(String piece);

  /** Is called once, after the last piece; {@link Generation#ending} has the reason. */
  default void ended(Generation generation) {}
}
