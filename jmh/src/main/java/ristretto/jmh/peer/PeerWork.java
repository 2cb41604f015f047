package ristretto.jmh.peer;

/** Work of a peer's process for one line at one size, made by a {@link PeerServer.Library}. */
public interface PeerWork extends AutoCloseable {
  /** Runs the work once. */
  void run();

  /** Element of the last run's result, by its row-major index. */
  float at(long index);

  /** Peak bytes of tensors since the work was prepared; 0 if not known. */
  default long peak() {
    return 0;
  }

  @Override
  void close();
}
