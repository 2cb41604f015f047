package ristretto.llm.serve;

/** Refusal of a request; the client gets the status and the message. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  Refusal(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** Creates the refusal of a wrong request. */
  Refusal(String message) {
    this(400, message);
  }

  /** Status of HTTP. */
  int status() {
    return status;
  }
}
