package ristretto.onnx;

import java.util.Optional;
import ristretto.expr.type.DType;
import ristretto.onnx.file.Proto;
import ristretto.symbolic.graph.Dims;

/**
 * Type of an input or output, as the file declares it.
 *
 * @param dtype dtype that holds the elements
 * @param dims extents, -1 where they are not known; empty if the rank is not known
 */
public record ValueType(DType<?> dtype, Optional<Dims> dims) {
  static ValueType of(Proto.Declaration d) {
    return new ValueType(
        d.type().dtype(),
        Optional.ofNullable(d.dims())
            .map(dims -> Dims.of(dims.stream().mapToLong(Long::longValue).toArray())));
  }
}
