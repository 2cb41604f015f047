package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.index.ViewOp;
import ristretto.kernels.scalar.Op;

/** Operation whose elements are functions of elements of its operands; needs no memory. */
public sealed interface Formula extends Operation
    permits Concat,
        Constant,
        Formula.Copy,
        CustomFormula,
        Formula.CustomGradient,
        Gather,
        Formula.Index,
        IntegerPower,
        Lifted,
        Pad,
        Pointwise,
        PointwiseGradient,
        RandomNumber,
        Formula.DropAxes,
        Formula.Sigmoid,
        Formula.SigmoidSlope,
        Formula.Softplus,
        Formula.StopGradient,
        View {
  /**
   * Formula of the element at the current index. Called during planning, possibly several times,
   * never while a kernel runs.
   */
  Scalar read(Term term, Reads in);

  /** Copy of a tensor in another shape, where no index map expresses the reshape. */
  record Copy() implements Formula {
    @Override
    public Object key(Term term) {
      return "copy";
    }

    @Override
    public Scalar read(Term term, Reads in) {
      return in.input(0);
    }

    @Override
    public String text(Term term) {
      return "copy";
    }
  }

  /**
   * Identity with a custom gradient. Only gradients use the rule; recordings replace the term by
   * its operand.
   *
   * @param rule rule of the gradient, opaque to the planner
   */
  record CustomGradient(Object rule) implements Formula {
    @Override
    public Object key(Term term) {
      return "customGradient";
    }

    @Override
    public Scalar read(Term term, Reads in) {
      return in.input(0);
    }

    @Override
    public String text(Term term) {
      return "customGradient";
    }
  }

  /** Reduction without the reduced axes, which have extent 1 in the operand. */
  record DropAxes() implements Formula {
    @Override
    public Object key(Term term) {
      return "reduced";
    }

    @Override
    public Scalar read(Term term, Reads in) {
      return in.through(0, new ViewOp.Reshape(term.shape().longs()));
    }

    @Override
    public String text(Term term) {
      return term.operand(0).name();
    }
  }

  /**
   * Index of each element: its coordinate along one axis, or its row-major number if the axis is
   * -1.
   */
  record Index(int axis) implements Formula {
    @Override
    public Scalar read(Term term, Reads in) {
      return axis < 0 ? in.elementNumber() : in.coordinate(axis);
    }

    @Override
    public String text(Term term) {
      return axis < 0 ? "elementNumber" : "coordinate(" + axis + ")";
    }
  }

  /** Logistic sigmoid {@code 1 / (1 + exp(-a))}, with {@link SigmoidSlope} as its derivative. */
  record Sigmoid() implements Formula {
    @Override
    public Object key(Term term) {
      return "sigmoid";
    }

    @Override
    public Scalar read(Term term, Reads in) {
      return in.input(0).apply(Op.SIGMOID);
    }

    @Override
    public String text(Term term) {
      return "sigmoid";
    }
  }

  /**
   * Derivative of the sigmoid {@code s} of {@code a}, {@code s(a) s(-a)}, computed from {@code
   * exp(-|a|)}, which stays accurate where {@code 1 - s} rounds to 0. The operands are s and a.
   */
  record SigmoidSlope() implements Formula {
    @Override
    public Object key(Term term) {
      return "sigmoidSlope";
    }

    @Override
    public Scalar read(Term term, Reads in) {
      Scalar s = in.input(0);
      Scalar a = in.input(1);
      Scalar e = a.abs().neg().exp();
      return s.times(a.lt(a.constant(0)).select(s.constant(1).minus(s), s.times(e)));
    }

    @Override
    public String text(Term term) {
      return "sigmoidSlope";
    }
  }

  /**
   * Softplus {@code log(1 + exp(a))} without overflow. Its derivative is the sigmoid; automatic
   * differentiation would give 0 at 0, where the terms of the formula have kinks.
   */
  record Softplus() implements Formula {
    @Override
    public Object key(Term term) {
      return "softplus";
    }

    @Override
    public Scalar read(Term term, Reads in) {
      Scalar a = in.input(0);
      return a.max(a.constant(0)).plus(a.abs().neg().exp().apply(Op.LOG1P));
    }

    @Override
    public String text(Term term) {
      return "softplus";
    }
  }

  /** Identity whose operand counts as a constant in gradients. */
  record StopGradient() implements Formula {
    @Override
    public Object key(Term term) {
      return "stopGradient";
    }

    @Override
    public Scalar read(Term term, Reads in) {
      return in.input(0);
    }

    @Override
    public String text(Term term) {
      return "stopGradient";
    }
  }
}
