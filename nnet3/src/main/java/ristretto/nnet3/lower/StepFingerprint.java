package ristretto.nnet3.lower;

import java.util.List;
import ristretto.nnet3.Index;
import ristretto.nnet3.graph.IntList;

/** Numeric fingerprint of a step, for {@link Loops}. */
final class StepFingerprint {
  private final IntList same = new IntList();
  private final IntList moving = new IntList();

  private final boolean begins;

  private StepFingerprint(boolean begins) {
    this.begins = begins;
  }

  /** Copies a shape, to be extended. */
  StepFingerprint(Loops.Shape known) {
    this(known.begins());
    for (int k : known.same()) {
      same.add(k);
    }
    for (int k : known.moving()) {
      moving.add(k);
    }
  }

  /**
   * Returns the shape of a step of a component in a recurrence.
   *
   * @param parts columns that the step gathers
   * @param begins true if a loop body should start with this step
   */
  static StepFingerprint of(Step step, List<GatherPlan.Part> parts, boolean begins) {
    var shape = new StepFingerprint(begins);
    shape.same.add(step.node());
    shape.moving.add(step.at());
    Step.Window w = step.window();
    shape.same.add(w.block());
    shape.same.add(w.first());
    shape.same.add(w.from());
    shape.same.add(w.end());
    shape.rows(step.rows());
    shape.rows(step.inputs());
    parts.forEach(shape::part);
    return shape;
  }

  private void rows(List<Index> rows) {
    same.add(rows.size());
    for (int k = 0; k < rows.size(); k++) {
      Index row = rows.get(k);
      same.add(row.n());
      same.add(row.x());
      if (k == 0) {
        moving.add(row.t());
      } else {
        same.add(row.t() - rows.get(0).t());
      }
    }
  }

  private void part(GatherPlan.Part part) {
    same.add(part.from());
    same.add(part.terms().size());
    if (part.constants() != null) {
      for (float constant : part.constants()) {
        same.add(Float.floatToRawIntBits(constant));
      }
    }
    for (GatherPlan.Term term : part.terms()) {
      same.add(term.at());
      same.add(Float.floatToRawIntBits(term.scale()));
      same.add(term.node());
      same.add(term.from());
      same.add(term.dim());
      places(term.places(), 0, term.places().length);
    }
  }

  /**
   * Adds positions. Negative ones must be the same in each iteration; of the others, the first
   * moves with the iteration and the rest keep their distance from the first.
   */
  void places(int[] places, int from, int to) {
    int first = -1;
    for (int k = from; k < to; k++) {
      int place = places[k];
      if (place < 0) {
        same.add(place);
      } else if (first < 0) {
        first = place;
        same.add(0);
        moving.add(place);
      } else {
        same.add(place - first);
      }
    }
  }

  Loops.Shape numbers() {
    return new Loops.Shape(same.toArray(), moving.toArray(), begins);
  }
}
