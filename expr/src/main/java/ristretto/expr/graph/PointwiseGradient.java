package ristretto.expr.graph;

import java.util.List;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.formula.SlotReads;
import ristretto.kernels.scalar.Tape;

/**
 * Derivative of an element-wise term with respect to one operand, times the output gradient;
 * derived from the code of an element.
 *
 * @param of term that supplies the launch scalars, with constants as operands, so that this
 *     reference does not keep their tensors alive
 * @param code code of an element
 */
public record PointwiseGradient(Term of, Code code) implements Formula {
  /**
   * Code of an element; its slots are the operands, then other values.
   *
   * @param more values of the slots after those of the operands
   */
  public record Code(Tape tape, List<SlotReads.More> more) {
    public Code {
      more = List.copyOf(more);
    }
  }

  @Override
  public Object key(Term term) {
    return code;
  }

  @Override
  public void scalars(Term term, ScalarSink sink) {
    of.operation().scalars(of, sink);
  }

  @Override
  public Scalar read(Term term, Reads in) {
    int operands = term.operands().size();
    int[] rows = new int[operands + code.more.size()];
    for (int k = 0; k < operands; k++) {
      rows[k] = in.input(k).row();
    }
    for (int k = 0; k < code.more.size(); k++) {
      Scalar value =
          switch (code.more.get(k)) {
            case SlotReads.More.Number m -> in.number(m.k());
            case SlotReads.More.Coordinate m -> in.coordinate(m.axis());
            case SlotReads.More.ElementNumber _ -> in.elementNumber();
          };
      rows[operands + k] = value.row();
    }
    return in.scalar(in.tape().inline(code.tape, rows)[0]);
  }

  @Override
  public String text(Term term) {
    return "gradient of " + of.name();
  }
}
