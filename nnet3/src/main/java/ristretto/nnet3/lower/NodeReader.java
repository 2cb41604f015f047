package ristretto.nnet3.lower;

import java.util.List;
import ristretto.nnet3.Index;
import ristretto.nnet3.step.BackwardStep;

/**
 * Rows of a node that read other rows, and the derivatives of their inputs once these are known.
 */
final class NodeReader {
  /**
   * Input columns from one source.
   *
   * @param from first column within the whole input
   */
  record Term(int from, GatherPlan.Term term) {
    int to() {
      return from + term.dim();
    }
  }

  private final int node;
  private final List<Index> inputs;
  private final List<Term> terms;
  private List<BackwardStep.Piece> pieces = List.of();

  NodeReader(int node, List<Index> inputs, GatherPlan gathered) {
    this.node = node;
    this.inputs = inputs;
    this.terms =
        gathered.parts().stream()
            .flatMap(part -> part.terms().stream().map(term -> new Term(part.from(), term)))
            .toList();
  }

  /** Returns the number of the reading node. */
  int node() {
    return node;
  }

  /** Returns the input rows. */
  List<Index> inputs() {
    return inputs;
  }

  List<Term> terms() {
    return terms;
  }

  /** Sets the derivatives of input columns. */
  void derivatives(List<BackwardStep.Piece> known) {
    pieces = known;
  }

  List<BackwardStep.Piece> pieces() {
    return pieces;
  }
}
