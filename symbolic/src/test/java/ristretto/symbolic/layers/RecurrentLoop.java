package ristretto.symbolic.layers;

import java.util.List;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.run.Graph;

/** Recurrent layers element by element in double precision, with an executor's parameters. */
final class RecurrentLoop {
  private final Executor executor;
  private final List<Variable<?>> parameters;
  private final String cell;
  private final int hidden;
  private final int[] lengths;
  private double[][][] last;

  RecurrentLoop(
      Executor executor, List<Variable<?>> outputs, String cell, int hidden, int[] lengths) {
    this.executor = executor;
    this.parameters = new Graph(outputs).of(Variable.Kind.PARAMETER);
    this.cell = cell;
    this.hidden = hidden;
    this.lengths = lengths;
  }

  @SuppressWarnings("unchecked")
  private double[] parameter(String name) {
    for (Variable<?> v : parameters) {
      if (v.name().equals(name)) {
        return executor.tensor((Variable<F64>) v).toDoubleArray();
      }
    }
    return null;
  }

  /** The states after the last step of the last layer: [state][n][hidden]. */
  double[][][] last() {
    return last;
  }

  /** Outputs of all steps; {@code start} is [state][n][hidden]. */
  double[][][] layer(String name, double[][][] x, boolean reverse, double[][][] start) {
    double[] wx = parameter(name + ".input");
    double[] wh = parameter(name + ".hidden");
    double[] bx = parameter(name + ".bias");
    double[] bh = parameter(name + ".hiddenBias");
    int n = x[0].length;
    int width = bx.length;
    var out = new double[x.length][n][hidden];
    last = start;
    for (int s = 0; s < x.length; s++) {
      int t = reverse ? x.length - 1 - s : s;
      for (int row = 0; row < n; row++) {
        if (lengths != null && t >= lengths[row]) {
          continue;
        }
        var a = new double[width];
        var b = new double[width];
        for (int j = 0; j < width; j++) {
          a[j] = bx[j];
          b[j] = bh == null ? 0 : bh[j];
          for (int i = 0; i < x[t][row].length; i++) {
            a[j] += x[t][row][i] * wx[i * width + j];
          }
          for (int i = 0; i < hidden; i++) {
            b[j] += last[0][row][i] * wh[i * width + j];
          }
        }
        for (int j = 0; j < hidden; j++) {
          step(a, b, row, j);
        }
        out[t][row] = last[0][row].clone();
      }
    }
    return out;
  }

  private void step(double[] a, double[] b, int row, int j) {
    double[] h = last[0][row];
    switch (cell) {
      case "tanh" -> h[j] = Math.tanh(a[j] + b[j]);
      case "relu" -> h[j] = Math.max(0, a[j] + b[j]);
      case "lstm" -> {
        double[] c = last[1][row];
        double i = sigmoid(a[j] + b[j]);
        double f = sigmoid(a[hidden + j] + b[hidden + j]);
        double g = Math.tanh(a[2 * hidden + j] + b[2 * hidden + j]);
        double o = sigmoid(a[3 * hidden + j] + b[3 * hidden + j]);
        c[j] = f * c[j] + i * g;
        h[j] = o * Math.tanh(c[j]);
      }
      default -> {
        double r = sigmoid(a[j] + b[j]);
        double z = sigmoid(a[hidden + j] + b[hidden + j]);
        double m = Math.tanh(a[2 * hidden + j] + r * b[2 * hidden + j]);
        h[j] = (1 - z) * m + z * h[j];
      }
    }
  }

  private static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }

  static double[][][] beside(double[][][] a, double[][][] b) {
    var all = new double[a.length][a[0].length][a[0][0].length + b[0][0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        System.arraycopy(a[i][j], 0, all[i][j], 0, a[i][j].length);
        System.arraycopy(b[i][j], 0, all[i][j], a[i][j].length, b[i][j].length);
      }
    }
    return all;
  }

  static double[][][] cube(Tensor<F64> t) {
    var shape = t.shape();
    double[] values = t.toDoubleArray();
    var all = new double[(int) shape.dim(0)][(int) shape.dim(1)][(int) shape.dim(2)];
    int k = 0;
    for (double[][] plane : all) {
      for (double[] row : plane) {
        for (int j = 0; j < row.length; j++) {
          row[j] = values[k++];
        }
      }
    }
    return all;
  }

  static double[] flat(double[][][] cube) {
    return java.util.Arrays.stream(cube)
        .flatMap(java.util.Arrays::stream)
        .flatMapToDouble(java.util.Arrays::stream)
        .toArray();
  }
}
