package ristretto.nnet3.compile;

import java.util.List;
import ristretto.nnet3.Index;

/** What a step does, in numbers; for {@link Loops}. */
final class StepShape {
  private final Ints same = new Ints();
  private final Ints moving = new Ints();

  private final boolean begins;

  private StepShape(boolean begins) {
    this.begins = begins;
  }

  /** The same and more. */
  StepShape(Loops.Shape known) {
    this(known.begins());
    for (int k : known.same()) {
      same.add(k);
    }
    for (int k : known.moving()) {
      moving.add(k);
    }
  }

  /**
   * A step of a component in a recurrence.
   *
   * @param parts what it gathers
   * @param begins whether a group best begins with it
   */
  static StepShape of(Step step, List<Gathered.Part> parts, boolean begins) {
    var shape = new StepShape(begins);
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

  private void part(Gathered.Part part) {
    same.add(part.from());
    same.add(part.terms().size());
    if (part.constants() != null) {
      for (float constant : part.constants()) {
        same.add(Float.floatToRawIntBits(constant));
      }
    }
    for (Gathered.Term term : part.terms()) {
      same.add(term.at());
      same.add(Float.floatToRawIntBits(term.scale()));
      same.add(term.node());
      same.add(term.from());
      same.add(term.dim());
      places(term.places(), 0, term.places().length);
    }
  }

  /** Some places; those that are not negative lie the same way to one another in each round. */
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
