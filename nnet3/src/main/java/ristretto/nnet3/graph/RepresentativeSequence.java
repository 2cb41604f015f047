package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import ristretto.expr.ProgramTemplate;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;

/**
 * Request reduced to one sequence that represents all sequences, where possible. A request is
 * regular if it asks for the same (t, x) of each node in each of its sequences n. A regular
 * computation has one row {@code (0, t, x)} for the rows with that (t, x) of all sequences. In any
 * other request each row stands for itself, in a single "sequence".
 *
 * @param regular true if each row stands for a row of every sequence
 * @param numbers the values of n of a regular request, ascending; otherwise only 0
 * @param request with the shared rows
 */
public record RepresentativeSequence(
    boolean regular, List<Integer> numbers, ComputationRequest request) {
  public static RepresentativeSequence of(ComputationRequest request) {
    var all = new TreeSet<Integer>();
    request.inputs().forEach(io -> io.indexes().forEach(i -> all.add(i.n())));
    request.outputs().forEach(io -> io.indexes().forEach(i -> all.add(i.n())));
    var inputs = new ArrayList<ComputationRequest.Io>();
    var outputs = new ArrayList<ComputationRequest.Io>();
    boolean regular =
        places(request.inputs(), all, inputs) && places(request.outputs(), all, outputs);
    if (!regular) {
      return new RepresentativeSequence(false, List.of(0), request);
    }
    return new RepresentativeSequence(
        true,
        List.copyOf(all),
        new ComputationRequest(
            inputs, outputs, request.needModelDerivative(), request.storeComponentStats()));
  }

  /**
   * Returns a copy with an unknown number of sequences, from which a program template is recorded.
   */
  public RepresentativeSequence unknown() {
    return new RepresentativeSequence(
        regular, Collections.nCopies((int) ProgramTemplate.UNKNOWN, 0), request);
  }

  /** Returns the number of sequences, that is the number of rows that a shared row stands for. */
  public int count() {
    return numbers.size();
  }

  private static boolean places(
      List<ComputationRequest.Io> from, TreeSet<Integer> all, List<ComputationRequest.Io> to) {
    for (ComputationRequest.Io io : from) {
      if (io.indexes().isEmpty() || io.indexes().size() % all.size() != 0) {
        return false;
      }
      Map<Integer, List<Index>> places = new HashMap<>();
      for (Index i : io.indexes()) {
        places.computeIfAbsent(i.n(), _ -> new ArrayList<>()).add(new Index(0, i.t(), i.x()));
      }
      List<Index> first = places.get(io.indexes().get(0).n());
      if (places.size() != all.size()) {
        return false;
      }
      for (List<Index> other : places.values()) {
        if (!other.equals(first)
            && (other.size() != first.size() || !new HashSet<>(first).containsAll(other))) {
          return false;
        }
      }
      to.add(new ComputationRequest.Io(io.name(), first, io.hasDeriv()));
    }
    return true;
  }
}
