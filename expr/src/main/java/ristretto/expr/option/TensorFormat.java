package ristretto.expr.option;

import java.util.List;

/** Formats of tensor files, by file extension. */
public enum TensorFormat {
  NPY(".npy"),
  NPZ(".npz"),
  SAFETENSORS(".safetensors"),

  /** Read only. */
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
