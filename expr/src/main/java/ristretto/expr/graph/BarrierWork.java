package ristretto.expr.graph;

import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;

/** Planning of the work of one barrier: its requirements, then the steps that fill its target. */
public interface BarrierWork {
  /**
   * States, while the barrier is prepared, that an operand must be in memory; see {@link #memory}.
   */
  void requireMemory(Term operand);

  /**
   * States, while the barrier is prepared, that an operand must be in memory in row-major order.
   */
  void requireContiguous(Term operand);

  /** Memory with the values of a term: the term's own, a view of one, or a temporary. */
  StorageView memory(Term e);

  /** Memory with the values of a term in row-major order. */
  StorageView contiguous(Term e);

  /** Temporary: memory that exists while the assignment runs. */
  StorageView temporary(DType<?> dtype, Shape shape);

  /** Plans a further assignment, after those planned so far. */
  void assign(StorageView target, Term expr);

  /**
   * Plans code on the host, which runs after the kernels planned so far, each time the plan runs.
   */
  void host(String what, Runnable work);
}
