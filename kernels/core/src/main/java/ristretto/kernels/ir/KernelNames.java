package ristretto.kernels.ir;

import java.util.Locale;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Kernel labels such as {@code map_mulAddTanh_f32_flat_9c41e07a}: kind, operations, dtype, layout,
 * hash; at most 64 characters.
 */
public final class KernelNames {
  private static final int LONGEST_WORDS = 28;

  private KernelNames() {}

  /**
   * Composes the label of a kernel.
   *
   * @param layout one word: flat, rows, strided
   */
  public static String of(String kind, Tape tape, ScalarType type, String layout, int hash) {
    var words = new StringBuilder();
    int count = 0;
    String last = "";
    for (Node node : tape.nodes()) {
      String word =
          switch (node) {
            case Node.Const _, Node.Input _ -> "";
            case Node.Apply n ->
                n.op() == Op.CONVERT || n.op() == Op.BITCAST ? "cast" : n.op().word();
            case Node.Random _ -> "random";
            case Node.Call _ -> "call";
          };
      if (word.isEmpty() || word.equals(last)) {
        continue;
      }
      last = word;
      if (words.length() + word.length() > LONGEST_WORDS) {
        words.append("Etc");
        break;
      }
      words.append(
          count++ == 0 ? word : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    if (words.isEmpty()) {
      words.append("copy");
    }
    return String.format(
        Locale.ROOT, "%s_%s_%s_%s_%08x", kind, words, type.label(), layout, hash ^ tape.hashCode());
  }
}
