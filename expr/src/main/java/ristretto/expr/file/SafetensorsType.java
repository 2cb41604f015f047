package ristretto.expr.file;

import java.util.Optional;
import ristretto.kernels.scalar.ScalarType;

/** Safetensors type names: Ristretto's names in capitals. */
final class SafetensorsType {
  static final String SUPPORTED = "BOOL I8 U8 I16 U16 I32 U32 I64 U64 F16 BF16 F32 F64";

  private SafetensorsType() {}

  static Optional<ScalarType> of(String name) {
    for (ScalarType type : ScalarType.values()) {
      if (type.name().equals(name)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
