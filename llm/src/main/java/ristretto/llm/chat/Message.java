package ristretto.llm.chat;

/**
 * Message of a conversation.
 *
 * @param role who wrote it
 */
public record Message(Role role, String text) {
  /** Writer of a message. */
  public enum Role {
    /** The operator, who describes the task. */
    SYSTEM,
    /** The person who asks. */
    USER,
    /** The model. */
    ASSISTANT
  }
}
