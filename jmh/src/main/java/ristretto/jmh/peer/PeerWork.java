package ristretto.jmh.peer;

/** What a peer's process does for one line at one size; made by a {@link PeerServer.Library}. */
public interface PeerWork extends AutoCloseable {
  /** Does the work once. */
  void run();

  /** Elements of the result of the last run, row-major. */
  float at(long index);

  /** Most bytes of tensors since the work was prepared; 0 where nobody counts them. */
  default long peak() {
    return 0;
  }

  @Override
  void close();
}
