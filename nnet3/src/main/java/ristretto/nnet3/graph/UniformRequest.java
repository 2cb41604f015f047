package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.List;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.ComputationRequest.Io;
import ristretto.nnet3.Index;

/**
 * Request whose sequences 0, 1, ... ask for the same rows in the same order, sorted by sequence or
 * by (t, x). Requests that differ only in the number of sequences are one program at different
 * sizes.
 *
 * @param two equivalent request for two sequences
 * @param count number of sequences
 */
public record UniformRequest(ComputationRequest two, int count) {
  /**
   * Returns the uniform form of a request; null if the request is not uniform or has fewer than two
   * sequences.
   */
  public static UniformRequest of(ComputationRequest request) {
    int count = 0;
    for (Index row : request.outputs().get(0).indexes()) {
      count = Math.max(count, row.n() + 1);
    }
    if (count < 2) {
      return null;
    }
    List<Io> inputs = two(request.inputs(), count);
    List<Io> outputs = two(request.outputs(), count);
    return inputs == null || outputs == null
        ? null
        : new UniformRequest(
            new ComputationRequest(
                inputs, outputs, request.needModelDerivative(), request.storeComponentStats()),
            count);
  }

  private static List<Io> two(List<Io> all, int count) {
    List<Io> result = new ArrayList<>();
    for (Io io : all) {
      List<Index> rows = io.indexes();
      int places = rows.size() / count;
      if (places * count != rows.size()) {
        return null;
      }
      List<Index> two = new ArrayList<>();
      if (isUniform(rows, count, places, 1)) {
        for (int n = 0; n < 2; n++) {
          two.addAll(rows.subList(n * places, (n + 1) * places));
        }
      } else if (isUniform(rows, count, 1, count)) {
        for (int place = 0; place < places; place++) {
          two.addAll(rows.subList(place * count, place * count + 2));
        }
      } else {
        return null;
      }
      result.add(new Io(io.name(), two, io.hasDeriv()));
    }
    return result;
  }

  /**
   * Returns true if row {@code n * ofSequence + place * ofPlace} is the row of sequence n and the
   * place-th (t, x), for all of them.
   */
  private static boolean isUniform(List<Index> rows, int count, int ofSequence, int ofPlace) {
    int places = rows.size() / count;
    for (int place = 0; place < places; place++) {
      Index first = rows.get(place * ofPlace);
      for (int n = 0; n < count; n++) {
        Index row = rows.get(n * ofSequence + place * ofPlace);
        if (row.n() != n || row.t() != first.t() || row.x() != first.x()) {
          return false;
        }
      }
    }
    return true;
  }
}
