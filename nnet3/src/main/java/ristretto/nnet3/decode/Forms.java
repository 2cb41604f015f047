package ristretto.nnet3.decode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.compile.Extension;

/**
 * Choice of the computation for each chunk. A short chunk is extended to the usual length with
 * copies of the last frame if this changes none of its outputs, so that few computations serve all
 * lengths. A shorter length gets a computation of its own once the time wasted on extensions
 * exceeds the time to compile it.
 */
final class Forms {
  /** Maximum number of different lengths. */
  private static final int LENGTHS = 4;

  private final Nnet nnet;
  private final boolean independent;
  private final double secondsPerFrame;
  private final Map<Chunk.Form, Boolean> extensible = new HashMap<>();
  private final Map<Chunk.Form, Extension> extensions = new HashMap<>();
  private final Map<Chunk.Form, Double> waste = new HashMap<>();
  private final Set<Chunk.Form> own = new HashSet<>();

  Forms(Nnet nnet) {
    this.nnet = nnet;
    this.independent = Independence.holds(nnet);
    this.secondsPerFrame = ChunkLengths.secondsPerFrame(nnet);
  }

  /**
   * Returns the form in which a chunk is computed.
   *
   * @param usual number of outputs of most chunks; 0 if there is no such number
   */
  Chunk.Form of(Chunk.Form form, int usual) {
    if (form.outputs() >= usual) {
      return form;
    }
    Chunk.Form full = form.with(usual);
    if (!independent && !extensible.computeIfAbsent(form, _ -> keeps(form, full))) {
      return form;
    }
    int grain = (usual + LENGTHS - 1) / LENGTHS;
    int length = (form.outputs() + grain - 1) / grain * grain;
    if (length >= usual) {
      return full;
    }
    Chunk.Form near = form.with(length);
    double seconds = (full.inputs() - near.inputs()) * secondsPerFrame;
    if (waste.merge(near, seconds, Double::sum) > ChunkLengths.COMPILATION) {
      own.add(near);
    }
    return own.contains(near) ? near : full;
  }

  private boolean keeps(Chunk.Form form, Chunk.Form full) {
    return extensions
        .computeIfAbsent(full, _ -> new Extension(nnet, request(full, 1)))
        .keepsReads(request(form, 1));
  }

  /** Returns the request for a minibatch of chunks of a form. */
  ComputationRequest request(Chunk.Form form, int sequences) {
    var input = new ArrayList<Index>();
    var ivector = new ArrayList<Index>();
    var output = new ArrayList<Index>();
    for (int n = 0; n < sequences; n++) {
      for (int k = 0; k < form.inputs(); k++) {
        input.add(new Index(n, k - form.before()));
      }
      ivector.add(new Index(n, 0));
      for (int k = 0; k < form.outputs(); k++) {
        output.add(new Index(n, k * form.stride()));
      }
    }
    var inputs = new ArrayList<ComputationRequest.Io>();
    inputs.add(new ComputationRequest.Io("input", input, false));
    if (nnet.inputDim("ivector") > 0) {
      inputs.add(new ComputationRequest.Io("ivector", ivector, false));
    }
    return new ComputationRequest(
        inputs, List.of(new ComputationRequest.Io("output", output, false)), false, false);
  }
}
