package ristretto.nnet3.compile;

import java.util.List;
import ristretto.nnet3.Index;
import ristretto.nnet3.forward.Backward;

/** Rows of a node that read others, and the derivatives of what they read once these are known. */
final class Reader {
  /**
   * Columns of what is read, from one source.
   *
   * @param from the first of them among all that is read
   */
  record Term(int from, Gathered.Term term) {
    int to() {
      return from + term.dim();
    }
  }

  private final int node;
  private final List<Index> inputs;
  private final List<Term> terms;
  private List<Backward.Piece> pieces = List.of();

  Reader(int node, List<Index> inputs, Gathered gathered) {
    this.node = node;
    this.inputs = inputs;
    this.terms =
        gathered.parts().stream()
            .flatMap(part -> part.terms().stream().map(term -> new Term(part.from(), term)))
            .toList();
  }

  /** Whose rows they are. */
  int node() {
    return node;
  }

  /** The rows of what is read. */
  List<Index> inputs() {
    return inputs;
  }

  List<Term> terms() {
    return terms;
  }

  /** Says the derivatives of columns of what is read. */
  void derivatives(List<Backward.Piece> known) {
    pieces = known;
  }

  List<Backward.Piece> pieces() {
    return pieces;
  }
}
