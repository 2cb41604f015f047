package ristretto.spark.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;

/** Model on a device that computes batches of rows. */
public interface RowModel {
  /** Inputs, in the model's order. */
  List<RowInput> inputs();

  /** Outputs that are computed. */
  List<RowOutput> outputs();

  /**
   * Computes a batch.
   *
   * @param values row-major elements of each input, in native byte order
   * @param shapes shape of each input
   * @return the outputs, valid until the next run
   */
  List<Tensor<?>> run(List<MemorySegment> values, List<Shape> shapes);
}
