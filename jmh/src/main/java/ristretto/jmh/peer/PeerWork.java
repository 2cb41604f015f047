package ristretto.jmh.peer;

/** What a peer's process does for one line at one size; made by a {@link PeerServer.Library}. */
public interface PeerWork extends AutoCloseable {
  /** Does the work once. */
  void run();

  /** Elements of the result of the last run, row-major. */
  float at(long index);

  @Override
  void close();
}
