package ristretto.nnet3.decode;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.graph.ChunkRequest;
import ristretto.nnet3.graph.RequestExtension;
import ristretto.nnet3.network.Nnet;

/**
 * Choice of the computation for each chunk. A short chunk is extended to the usual length with
 * copies of the last frame if this changes none of its outputs, so that few computations serve all
 * lengths. A shorter length gets a computation of its own once the time wasted on extensions
 * exceeds the time to compile it.
 */
final class ChunkExtension {
  /** Maximum number of different lengths. */
  private static final int LENGTHS = 4;

  private final Nnet nnet;
  private final boolean independent;
  private final double secondsPerFrame;
  private final Map<UtteranceChunk.Form, Boolean> extensible = new HashMap<>();
  private final Map<UtteranceChunk.Form, RequestExtension> extensions = new HashMap<>();
  private final Map<UtteranceChunk.Form, Double> waste = new HashMap<>();
  private final Set<UtteranceChunk.Form> own = new HashSet<>();

  ChunkExtension(Nnet nnet) {
    this.nnet = nnet;
    this.independent = ChunkIndependence.holds(nnet);
    this.secondsPerFrame = ChunkLengths.secondsPerFrame(nnet);
  }

  /**
   * Returns the form in which a chunk is computed.
   *
   * @param usual number of outputs of most chunks; 0 if there is no such number
   */
  UtteranceChunk.Form of(UtteranceChunk.Form form, int usual) {
    if (form.outputs() >= usual) {
      return form;
    }
    UtteranceChunk.Form full = form.with(usual);
    if (!independent && !extensible.computeIfAbsent(form, _ -> keeps(form, full))) {
      return form;
    }
    int grain = (usual + LENGTHS - 1) / LENGTHS;
    int length = (form.outputs() + grain - 1) / grain * grain;
    if (length >= usual) {
      return full;
    }
    UtteranceChunk.Form near = form.with(length);
    double seconds = (full.inputs() - near.inputs()) * secondsPerFrame;
    if (waste.merge(near, seconds, Double::sum) > ChunkLengths.COMPILATION) {
      own.add(near);
    }
    return own.contains(near) ? near : full;
  }

  private boolean keeps(UtteranceChunk.Form form, UtteranceChunk.Form full) {
    return extensions
        .computeIfAbsent(full, _ -> new RequestExtension(nnet, request(full, 1)))
        .keepsReads(request(form, 1));
  }

  /** Returns the request for a minibatch of chunks of a form. */
  ComputationRequest request(UtteranceChunk.Form form, int sequences) {
    return ChunkRequest.of(
        nnet, sequences, -form.before(), form.inputs(), 0, form.outputs(), form.stride());
  }
}
