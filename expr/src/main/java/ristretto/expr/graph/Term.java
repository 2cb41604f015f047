package ristretto.expr.graph;

import java.util.List;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;

/**
 * Node of an expression graph: an {@link Operation} applied to operands. The planner works on
 * terms; {@link ristretto.expr.Expr} adds the static dtype and the methods of users. Identity
 * matters: a term that several terms share is computed once, and gradients are taken with respect
 * to a term itself.
 */
public class Term implements Cloneable {
  private final Operation operation;
  private final DType<?> dtype;
  private final Shape shape;
  private List<Term> operands;
  private final int depth;

  /** Identity hash for hash tables, from an unsynchronized counter: duplicates do no harm. */
  private final int spread = nextSpread += 0x9E3779B9;

  private static int nextSpread;

  protected Term(Operation operation, DType<?> dtype, Shape shape, List<? extends Term> operands) {
    this.operation = operation;
    this.dtype = dtype;
    this.shape = shape;
    this.operands = List.copyOf(operands);
    int deepest = 0;
    for (int k = 0; k < this.operands.size(); k++) { // no iterator: it would be garbage
      deepest = Math.max(deepest, this.operands.get(k).depth);
    }
    this.depth = deepest + 1;
  }

  /** Applies an operation. */
  public static Term of(Operation operation, DType<?> dtype, Shape shape, Term... operands) {
    return new Term(operation, dtype, shape, List.of(operands));
  }

  /** Leaf that reads memory. */
  public static Term of(StorageView memory) {
    return new Term(memory, memory.dtype(), memory.shape(), List.of());
  }

  /** Operation that computes the value from the operands. */
  public final Operation operation() {
    return operation;
  }

  /** Type of the elements. */
  public DType<?> dtype() {
    return dtype;
  }

  /** Extents, outermost first. */
  public final Shape shape() {
    return shape;
  }

  /** Operands of the operation. */
  public final List<Term> operands() {
    return operands;
  }

  /** Operand {@code k}. */
  public final Term operand(int k) {
    return operands.get(k);
  }

  /** Length of the longest path to a leaf, in terms. */
  public final int depth() {
    return depth;
  }

  /** Identity hash with well-mixed upper bits. */
  public final int spread() {
    return spread;
  }

  /** Returns true if the operation writes its result to memory; others fuse with their readers. */
  public final boolean isBarrier() {
    return operation instanceof Barrier;
  }

  /** Memory that holds the elements, for a leaf; null for other terms. */
  public final StorageView memory() {
    return operation instanceof StorageView m ? m : null;
  }

  /** Returns a copy of this term with other operands of equal dtypes and shapes. */
  public final Term withOperands(List<? extends Term> others) {
    try {
      var copy = (Term) clone();
      copy.operands = List.copyOf(others);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a term of the kind of this one that reads other memory. */
  public Term reading(StorageView other) {
    return of(other);
  }

  /** Dtype and shape in the form messages print operands: {@code f32[2,3]}. */
  public final String label() {
    return dtype + shape.toString();
  }

  /** Name of the operation in explanations. */
  public final String name() {
    return operation.text(this);
  }

  @Override
  public String toString() {
    return name();
  }
}
