package ristretto.symbolic.layers;

import java.util.List;
import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;

/**
 * Step function of a recurrent layer: computes new states from the previous states and from the
 * matrix products of input and previous output with the weights. The gradient is derived from the
 * expression. Extend this class for user-defined cells.
 */
public abstract class Cell {
  private final int gates;
  private final int states;
  private final int shared;

  /**
   * Creates a cell.
   *
   * @param gates number of gates; the width of the products is {@code gates * hidden}
   * @param states number of state vectors, {@code hidden} wide each; the first one is the output
   * @param separate true if the products of the input and of the previous output are passed
   *     separately, instead of their sum
   */
  protected Cell(int gates, int states, boolean separate) {
    this(gates, states, separate ? 0 : gates);
  }

  /**
   * Creates a cell that reads only the sum of both products of its first gates.
   *
   * @param shared number of gates that depend on the sum of {@code x} and {@code h} only; their
   *     products are stored as a sum
   */
  private Cell(int gates, int states, int shared) {
    this.gates = gates;
    this.states = states;
    this.shared = shared;
  }

  final int gates() {
    return gates;
  }

  final int states() {
    return states;
  }

  /** Returns true if the products of input and previous output are passed separately. */
  final boolean separate() {
    return shared < gates;
  }

  /** Returns the number of gates at the beginning that depend on the sum of both products only. */
  final int shared() {
    return shared;
  }

  /** Returns the corresponding ONNX cell, if there is one. */
  Optional<OnnxCellType> onnx() {
    return Optional.empty();
  }

  /**
   * Computes one time step.
   *
   * @param x products of each gate, {@code [n, hidden]} each, bias included: of the input plus the
   *     previous output, or of the input alone if separate
   * @param h products of the previous output if separate, otherwise empty
   * @param last states after the previous step
   * @return the states after this step
   */
  protected abstract <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last);

  /** Elman cell: {@code h = tanh(x)} (Elman, 1990). */
  public static Cell tanh() {
    return new Cell(1, 1, false) {
      @Override
      protected <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last) {
        return List.of(Ops.tanh(x.get(0)));
      }

      @Override
      Optional<OnnxCellType> onnx() {
        return Optional.of(new OnnxCellType("RNN", List.of(0), "Tanh"));
      }
    };
  }

  /** Elman cell with ReLU: {@code h = max(x, 0)}. */
  public static Cell relu() {
    return new Cell(1, 1, false) {
      @Override
      protected <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last) {
        return List.of(Ops.relu(x.get(0)));
      }

      @Override
      Optional<OnnxCellType> onnx() {
        return Optional.of(new OnnxCellType("RNN", List.of(0), "Relu"));
      }
    };
  }

  /**
   * Long short-term memory with forget gate (Gers et al., 2000); gates in the order input, forget,
   * cell, output: {@code c = sigmoid(f) c + sigmoid(i) tanh(g); h = sigmoid(o) tanh(c)}.
   */
  public static Cell lstm() {
    return new Cell(4, 2, false) {
      @Override
      protected <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last) {
        Expr<T> kept = Ops.sigmoid(x.get(1)).times(last.get(1));
        Expr<T> c = kept.plus(Ops.sigmoid(x.get(0)).times(Ops.tanh(x.get(2))));
        return List.of(Ops.sigmoid(x.get(3)).times(Ops.tanh(c)), c);
      }

      @Override
      Optional<OnnxCellType> onnx() {
        return Optional.of(
            new OnnxCellType("LSTM", List.of(0, 3, 1, 2), "Sigmoid", "Tanh", "Tanh"));
      }
    };
  }

  /**
   * Gated recurrent unit (Cho et al., 2014) with the reset gate after the product; gates in the
   * order reset, update, new: {@code h = (1 - z) tanh(n) + z h}, with {@code n = x_n + r h_n}.
   */
  public static Cell gru() {
    return new Cell(3, 1, 2) {
      @Override
      protected <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last) {
        Expr<T> r = Ops.sigmoid(x.get(0).plus(h.get(0)));
        Expr<T> z = Ops.sigmoid(x.get(1).plus(h.get(1)));
        Expr<T> n = Ops.tanh(x.get(2).plus(r.times(h.get(2))));
        return List.of(n.plus(z.times(last.get(0).minus(n))));
      }

      @Override
      Optional<OnnxCellType> onnx() {
        return Optional.of(new OnnxCellType("GRU", List.of(1, 0, 2), "Sigmoid", "Tanh"));
      }
    };
  }
}
