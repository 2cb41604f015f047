package ristretto.llm.gguf;

import java.lang.foreign.MemorySegment;
import ristretto.expr.type.Shape;

/**
 * Tensor of a GGUF file.
 *
 * @param shape extents, outermost first, as everywhere in this library; files list them in the
 *     opposite order
 * @param offset place of the data in the file; -1 if they are in memory only
 * @param data bytes of the elements, perhaps mapped from the file
 */
public record GgufTensor(String name, GgufType type, Shape shape, long offset, MemorySegment data) {
  /** Creates a tensor that is not in a file yet. */
  public GgufTensor(String name, GgufType type, Shape shape, MemorySegment data) {
    this(name, type, shape, -1, data);
  }

  /** Type and shape in the form messages print operands. */
  public String label() {
    return type.name().toLowerCase(java.util.Locale.ROOT) + shape;
  }
}
