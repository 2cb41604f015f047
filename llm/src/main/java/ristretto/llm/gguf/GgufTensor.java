package ristretto.llm.gguf;

import java.lang.foreign.MemorySegment;
import ristretto.expr.type.Shape;

/**
 * Tensor of a GGUF file.
 *
 * @param shape extents, outermost first, as everywhere in this library; files list them in the
 *     opposite order
 * @param data bytes of the elements, mapped from the file
 */
public record GgufTensor(String name, GgufType type, Shape shape, MemorySegment data) {
  /** Type and shape in the form messages print operands. */
  public String label() {
    return type.name().toLowerCase(java.util.Locale.ROOT) + shape;
  }
}
