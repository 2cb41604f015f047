package ristretto.expr.graph;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.type.DType;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.lift.LiftedLambda;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Recurrence along axis 0: each step computes new states from the states before and from inputs.
 * The operands are the initial states {@code [...]} and the inputs {@code [steps, ...]}; the result
 * is {@code [states, steps, ...]}, or {@code [steps, ...]} for one state.
 *
 * @param states number of states
 * @param reverse true if the last step is computed first
 * @param tape its input slots are the operands, then the captured values; one output per state
 * @param links of a linear recurrence without lambdas, whose operands are zeros, an addend for each
 *     state, and factors: bit {@code j * states + k} is set if there is a factor of state {@code j}
 *     of the step before in state {@code k}; 0 for user lambdas
 * @param codes code of the user's lambdas; empty for a linear recurrence
 * @param lambdas objects that hold the captured values
 */
public record Recurrence(
    int states,
    boolean reverse,
    Tape tape,
    long links,
    List<LiftedLambda> codes,
    List<Lambda> lambdas)
    implements Barrier {
  public Recurrence {
    codes = List.copyOf(codes);
    lambdas = List.copyOf(lambdas);
  }

  /** Creates the recurrence of one lambda per state, of all states and inputs. */
  public static Recurrence of(List<LiftedLambda> codes, List<Lambda> lambdas) {
    var tape = new TapeBuilder();
    List<ScalarType> parameters = codes.getFirst().parameters();
    int[] given = new int[parameters.size()];
    for (int k = 0; k < given.length; k++) {
      given[k] = tape.input(k, parameters.get(k));
    }
    int slots = given.length;
    int[] outputs = new int[codes.size()];
    for (int s = 0; s < outputs.length; s++) {
      LiftedLambda code = codes.get(s);
      int[] rows = java.util.Arrays.copyOf(given, given.length + code.captured().size());
      for (int k = given.length; k < rows.length; k++) {
        rows[k] = tape.input(slots++, code.captured().get(k - given.length));
      }
      outputs[s] = tape.inline(code.tape(), rows)[0];
    }
    return new Recurrence(codes.size(), false, tape.build(outputs), 0, codes, lambdas);
  }

  /** Types of the captured values, the last input slots of the tape. */
  public List<ScalarType> captured() {
    var all = new ArrayList<ScalarType>();
    codes.forEach(code -> all.addAll(code.captured()));
    return all;
  }

  @Override
  public Object key(Term term) {
    return List.of(states, reverse, tape, codes);
  }

  @Override
  public void scalars(Term term, ScalarSink sink) {
    for (int s = 0; s < codes.size(); s++) {
      LiftedLambda code = codes.get(s);
      long[] bits = code.capturedBits(lambdas.get(s));
      for (int k = 0; k < bits.length; k++) {
        sink.addBits(DType.of(code.captured().get(k)), bits[k]);
      }
    }
  }

  @Override
  public String text(Term term) {
    return "scan of " + states + (states == 1 ? " state" : " states");
  }
}
