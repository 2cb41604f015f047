package ristretto.nnet3.egs;

import java.util.List;

/**
 * Training example, or a minibatch of examples.
 *
 * @param <E> kind of example
 */
public interface Example<E extends Example<E>> {
  /** Number of indexes of the longest input or output. */
  int size();

  /**
   * Properties that examples of one minibatch must share: names, dimensions and indexes; compared
   * with {@code equals}.
   */
  Object structure();

  /** Copy of this example with full matrices compressed to one or two bytes per element. */
  E compressed();

  /**
   * Merges this example and others into one minibatch; the {@code n} of each example follow those
   * of the example before.
   *
   * @param others examples after this one
   */
  E with(List<E> others);
}
