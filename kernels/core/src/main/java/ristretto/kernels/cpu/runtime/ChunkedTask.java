package ristretto.kernels.cpu.runtime;

/** Work in numbered chunks; each chunk is run by one thread, in any order. */
public interface ChunkedTask {
  /** Runs chunk {@code index} of {@code chunks} for the launch that {@code job} describes. */
  void chunk(Job job, int index, int chunks, ThreadContext context);
}
