package ristretto.expr.type;

/** Values of the padding around an expression; see {@code Ops.pad}. */
public enum PaddingMode {
  /** Zeros. */
  ZEROS,

  /**
   * Mirror image without the edge: {@code c b | a b c d | c b}; less padding than elements. NumPy's
   * and PyTorch's {@code reflect}.
   */
  REFLECT,

  /**
   * Copies of the edge: {@code a a | a b c d | d d}. PyTorch's {@code replicate}, NumPy's {@code
   * edge}.
   */
  REPLICATE,

  /**
   * Other end of the axis: {@code c d | a b c d | a b}; at most as much padding as elements.
   * PyTorch's {@code circular}, NumPy's {@code wrap}.
   */
  CIRCULAR
}
