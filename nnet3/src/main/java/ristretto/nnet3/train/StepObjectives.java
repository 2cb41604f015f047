package ristretto.nnet3.train;

/**
 * Inputs and objectives of a training step, for minibatches of one structure.
 *
 * @param <E> kind of examples
 */
interface StepObjectives<E> {
  /** Uploads a minibatch. */
  void set(E minibatch);

  /** Names of the outputs with objectives. */
  Iterable<String> outputs();

  /**
   * Returns true if the host computes a part of the objectives between the forward and the backward
   * pass, which are two programs then.
   */
  boolean usesHost();

  /**
   * Computes that part, and adds it to totals.
   *
   * @param suffix appended to the outputs' names in totals
   */
  void compute(ObjectiveTotals totals, String suffix);

  /**
   * Adds the objectives to totals and sets the derivatives of the outputs, between the forward and
   * the backward pass; only assigns, so that it can be recorded.
   *
   * @param suffix appended to the outputs' names in totals
   */
  void assign(ObjectiveTotals totals, String suffix);
}
