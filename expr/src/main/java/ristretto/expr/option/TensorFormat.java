package ristretto.expr.option;

import java.util.List;

/** Formats of tensor files, by file extension. */
public enum TensorFormat {
  /** NumPy's array. */
  NPY(".npy"),

  /** NumPy's archive of arrays. */
  NPZ(".npz"),

  /** Named tensors of Hugging Face's libraries. */
  SAFETENSORS(".safetensors"),

  /** PyTorch's {@code state_dict}; read only. */
  PYTORCH(".pt", ".pth");

  private final List<String> endings;

  TensorFormat(String... endings) {
    this.endings = List.of(endings);
  }

  /** Extensions of file names, in lower case. */
  public List<String> endings() {
    return endings;
  }
}
