package ristretto.expr.file;

import java.util.Optional;
import ristretto.kernels.scalar.ScalarType;

/**
 * Names of functions and classes that a PyTorch file may use. Each one stands for a value that the
 * reader makes itself; every other name is refused.
 */
enum TorchName {
  ORDERED_DICT("collections.OrderedDict"),
  REBUILD_TENSOR("torch._utils._rebuild_tensor_v2"),
  REBUILD_PARAMETER("torch._utils._rebuild_parameter"),
  SIZE("torch.Size"),
  F32("torch.FloatStorage", ScalarType.F32),
  F64("torch.DoubleStorage", ScalarType.F64),
  F16("torch.HalfStorage", ScalarType.F16),
  BF16("torch.BFloat16Storage", ScalarType.BF16),
  I32("torch.IntStorage", ScalarType.I32),
  I64("torch.LongStorage", ScalarType.I64),
  I8("torch.CharStorage", ScalarType.I8),
  U8("torch.ByteStorage", ScalarType.U8),
  I16("torch.ShortStorage", ScalarType.I16),
  BOOL("torch.BoolStorage", ScalarType.BOOL);

  private final String text;
  private final Optional<ScalarType> type;

  TorchName(String text) {
    this.text = text;
    this.type = Optional.empty();
  }

  TorchName(String text, ScalarType type) {
    this.text = text;
    this.type = Optional.of(type);
  }

  static Optional<TorchName> of(String text) {
    for (TorchName name : values()) {
      if (name.text.equals(text)) {
        return Optional.of(name);
      }
    }
    return Optional.empty();
  }

  /** Element type, if this is a class of storages. */
  Optional<ScalarType> type() {
    return type;
  }
}
