package ristretto.nnet3.compile;

import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.VectorNets;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.Matrix;

/** Networks, requests and matrices of the vectors. */
final class Cases {
  private Cases() {}

  static Nnet nnet(String name) {
    return VectorNets.read(name);
  }

  static ComputationRequest request(String name) {
    return ComputationRequest.parse("request.txt", Vectors.text(name, "request.txt"));
  }

  /** A text archive. */
  static Map<String, Matrix> matrices(String name, String file) {
    var all = new LinkedHashMap<String, Matrix>();
    String text = Vectors.text(name, file);
    int at = 0;
    while (at < text.length()) {
      int open = text.indexOf('[', at);
      int close = text.indexOf(']', open);
      if (open < 0) {
        break;
      }
      String key = text.substring(at, open).strip();
      float[][] rows =
          text.substring(open + 1, close).strip().lines().map(Cases::row).toArray(float[][]::new);
      all.put(key, Matrix.of(rows));
      at = close + 1;
    }
    return all;
  }

  private static float[] row(String line) {
    String[] words = line.strip().split("[ \t]+");
    var row = new float[words.length];
    for (int k = 0; k < row.length; k++) {
      row[k] = Float.parseFloat(words[k]);
    }
    return row;
  }
}
