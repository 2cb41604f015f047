package ristretto.symbolic;

import java.util.List;
import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;

/**
 * What a recurrent layer computes in one step, from products of its input and of its last output
 * with weights, and from its states. It is an expression; its gradient is derived. Extend it for
 * cells of your own.
 */
public abstract class Cell {
  private final int gates;
  private final int states;
  private final boolean separate;

  /**
   * @param gates parts of the products, each as wide as the output
   * @param states numbers kept from step to step, each as wide as the output; the first is the
   *     output
   * @param separate the products of the input and of the last output are given apart, not as their
   *     sum
   */
  protected Cell(int gates, int states, boolean separate) {
    this.gates = gates;
    this.states = states;
    this.separate = separate;
  }

  final int gates() {
    return gates;
  }

  final int states() {
    return states;
  }

  final boolean separate() {
    return separate;
  }

  /** How ONNX calls it, if it has it. */
  Optional<OnnxCell> onnx() {
    return Optional.empty();
  }

  /**
   * One step.
   *
   * @param x the gates' parts of the products, {@code [n, hidden]} each, bias included: of input
   *     and last output together, or, if apart, of the input
   * @param h if apart, those of the last output; else empty
   * @param last the states after the step before
   * @return the states after this step
   */
  protected abstract <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last);

  /** {@code h = tanh(x)} (Elman, 1990). */
  public static Cell tanh() {
    return new Cell(1, 1, false) {
      @Override
      protected <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last) {
        return List.of(Ops.tanh(x.get(0)));
      }

      @Override
      Optional<OnnxCell> onnx() {
        return Optional.of(new OnnxCell("RNN", List.of(0), "Tanh"));
      }
    };
  }

  /** {@code h = max(x, 0)}. */
  public static Cell relu() {
    return new Cell(1, 1, false) {
      @Override
      protected <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last) {
        return List.of(Ops.relu(x.get(0)));
      }

      @Override
      Optional<OnnxCell> onnx() {
        return Optional.of(new OnnxCell("RNN", List.of(0), "Relu"));
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
      Optional<OnnxCell> onnx() {
        return Optional.of(new OnnxCell("LSTM", List.of(0, 3, 1, 2), "Sigmoid", "Tanh", "Tanh"));
      }
    };
  }

  /**
   * Gated recurrent unit (Cho et al., 2014) with the reset gate after the product; gates in the
   * order reset, update, new: {@code h = (1 - z) tanh(n) + z h}, with {@code n = x_n + r h_n}.
   */
  public static Cell gru() {
    return new Cell(3, 1, true) {
      @Override
      protected <T> List<Expr<T>> next(List<Expr<T>> x, List<Expr<T>> h, List<Expr<T>> last) {
        Expr<T> r = Ops.sigmoid(x.get(0).plus(h.get(0)));
        Expr<T> z = Ops.sigmoid(x.get(1).plus(h.get(1)));
        Expr<T> n = Ops.tanh(x.get(2).plus(r.times(h.get(2))));
        return List.of(n.plus(z.times(last.get(0).minus(n))));
      }

      @Override
      Optional<OnnxCell> onnx() {
        return Optional.of(new OnnxCell("GRU", List.of(1, 0, 2), "Sigmoid", "Tanh"));
      }
    };
  }
}
