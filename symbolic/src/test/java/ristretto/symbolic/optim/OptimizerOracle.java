package ristretto.symbolic.optim;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Plain double-precision optimizers of one parameter, by the formulas of their papers. */
abstract class OptimizerOracle {
  static final double RATE = 0.02;
  static final double DECAY = 0.1;
  static final double FIRST = 0.9;
  static final double SECOND = 0.99;

  final double[] w;
  int step;

  OptimizerOracle(double[] w) {
    this.w = w.clone();
  }

  static OptimizerOracle of(String kind, double[] w, long[] dims) {
    return switch (kind) {
      case "lion" -> new Lion(w);
      case "lamb" -> new Lamb(w);
      case "adafactor" -> new Adafactor(w, dims);
      default -> throw new AssertionError(kind);
    };
  }

  /** Returns the optimizer that this oracle describes. */
  static Optimizer tested(String kind) {
    Schedule rate = Schedule.constant(RATE);
    return switch (kind) {
      case "lion" -> Optimizer.lion(rate, FIRST, SECOND, DECAY);
      case "lamb" -> Optimizer.lamb(rate, FIRST, SECOND, 1e-6, DECAY);
      case "adafactor" -> Optimizer.adafactor(rate, DECAY);
      default -> throw new AssertionError(kind);
    };
  }

  final void step(double[] g) {
    step++;
    update(g);
  }

  abstract void update(double[] g);

  static double norm(double[] x) {
    return Math.sqrt(DoubleStream.of(x).map(v -> v * v).sum());
  }

  private static final class Lion extends OptimizerOracle {
    private final double[] m;

    Lion(double[] w) {
      super(w);
      m = new double[w.length];
    }

    @Override
    void update(double[] g) {
      for (int k = 0; k < w.length; k++) {
        w[k] -= RATE * (Math.signum(FIRST * m[k] + (1 - FIRST) * g[k]) + DECAY * w[k]);
        m[k] = SECOND * m[k] + (1 - SECOND) * g[k];
      }
    }
  }

  private static final class Lamb extends OptimizerOracle {
    private final double[] m;
    private final double[] v;

    Lamb(double[] w) {
      super(w);
      m = new double[w.length];
      v = new double[w.length];
    }

    @Override
    void update(double[] g) {
      double[] move = new double[w.length];
      for (int k = 0; k < w.length; k++) {
        m[k] = FIRST * m[k] + (1 - FIRST) * g[k];
        v[k] = SECOND * v[k] + (1 - SECOND) * g[k] * g[k];
        double unbiasedM = m[k] / (1 - Math.pow(FIRST, step));
        double unbiasedV = v[k] / (1 - Math.pow(SECOND, step));
        move[k] = unbiasedM / (Math.sqrt(unbiasedV) + 1e-6) + DECAY * w[k];
      }
      boolean scales = norm(w) > 0 && norm(move) > 0;
      double trust = scales ? norm(w) / norm(move) : 1;
      for (int k = 0; k < w.length; k++) {
        w[k] -= RATE * trust * move[k];
      }
    }
  }

  private static final class Adafactor extends OptimizerOracle {
    private static final double EPSILON = Math.scalb(1.0, -23);

    private final int rows;
    private final int columns;
    private final int matrices;
    private final boolean factored;
    private final double[] rowMeans;
    private final double[] columnMeans;
    private final double[] means;

    Adafactor(double[] w, long[] dims) {
      super(w);
      factored = dims.length > 1;
      columns = (int) dims[dims.length - 1];
      rows = factored ? (int) dims[dims.length - 2] : 1;
      matrices = rows * columns == 0 ? 0 : w.length / (rows * columns);
      rowMeans = new double[matrices * rows];
      columnMeans = new double[matrices * columns];
      means = new double[w.length];
    }

    @Override
    void update(double[] g) {
      double share = Math.pow(step, -0.8);
      double rate = Math.min(RATE, 1 / Math.sqrt(step));
      double size = rate * Math.max(1e-3, rootMeanSquare(w));
      double[] move = new double[w.length];
      for (int matrix = 0; matrix < matrices; matrix++) {
        average(g, matrix, share);
        double total =
            IntStream.range(matrix * rows, (matrix + 1) * rows)
                .mapToDouble(k -> rowMeans[k] / rows)
                .sum();
        for (int i = 0; i < rows; i++) {
          for (int j = 0; j < columns; j++) {
            int k = (matrix * rows + i) * columns + j;
            double mean =
                factored
                    ? rowMeans[matrix * rows + i]
                        * columnMeans[matrix * columns + j]
                        / Math.max(total, EPSILON)
                    : means[k];
            move[k] = g[k] / Math.sqrt(Math.max(mean, EPSILON * EPSILON));
          }
        }
      }
      double shorter = Math.max(1, rootMeanSquare(move));
      for (int k = 0; k < w.length; k++) {
        w[k] = w[k] * (1 - RATE * DECAY) - size / shorter * move[k];
      }
    }

    private void average(double[] g, int matrix, double share) {
      double[] row = new double[rows];
      double[] column = new double[columns];
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
          int k = (matrix * rows + i) * columns + j;
          row[i] += g[k] * g[k] / columns;
          column[j] += g[k] * g[k] / rows;
          means[k] += share * (g[k] * g[k] - means[k]);
        }
      }
      for (int i = 0; i < rows; i++) {
        int k = matrix * rows + i;
        rowMeans[k] += share * (row[i] - rowMeans[k]);
      }
      for (int j = 0; j < columns; j++) {
        int k = matrix * columns + j;
        columnMeans[k] += share * (column[j] - columnMeans[k]);
      }
    }

    private static double rootMeanSquare(double[] x) {
      return x.length == 0 ? 0 : norm(x) / Math.sqrt(x.length);
    }
  }
}
