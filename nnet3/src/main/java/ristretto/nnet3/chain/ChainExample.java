package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.network.Nnet;

/**
 * Training example of a chain model: network inputs of a chunk of an utterance, or of a minibatch
 * of chunks, and supervision of its outputs.
 *
 * @param inputs inputs of the network
 * @param outputs supervised outputs
 */
public record ChainExample(List<NnetIo> inputs, List<Output> outputs)
    implements Example<ChainExample> {
  private static final String XENT = "-xent";

  /** Minimum size of an input or output in a file, in bytes. */
  private static final int SMALLEST = 25;

  /**
   * Supervision of an output.
   *
   * @param name name of the network's output
   * @param indexes index of each row: the first frame of all sequences, then the second, and so on
   * @param derivativeWeights weight of the derivative of each row; empty for 1
   */
  public record Output(
      String name, List<Index> indexes, ChainSupervision supervision, float[] derivativeWeights) {
    /** Merges outputs of the same name. */
    private static Output merge(List<Output> all) {
      ChainSupervision supervision =
          MergeSupervisions.apply(all.stream().map(Output::supervision).toList());
      int rows = supervision.sequences() * supervision.frames();
      boolean weighted = all.stream().anyMatch(each -> each.derivativeWeights.length > 0);
      var weights = new float[weighted ? rows : 0];
      var indexes = new ArrayList<Index>(rows);
      for (int frame = 0; frame < supervision.frames(); frame++) {
        for (Output each : all) {
          int width = each.supervision.sequences();
          for (int n = 0; n < width; n++) {
            int row = frame * width + n;
            int sequence = indexes.size() - frame * supervision.sequences();
            if (weighted) {
              weights[indexes.size()] =
                  each.derivativeWeights.length > 0 ? each.derivativeWeights[row] : 1;
            }
            Index index = each.indexes.get(row);
            indexes.add(new Index(sequence, index.t(), index.x()));
          }
        }
      }
      return new Output(all.getFirst().name, indexes, supervision, weights);
    }

    /** Copy of this output with another supervision, of the same frames. */
    public Output with(ChainSupervision other) {
      return new Output(name, indexes, other, derivativeWeights);
    }

    /** Copy of this output with another name. */
    public Output renamed(String newName) {
      return new Output(newName, indexes, supervision, derivativeWeights);
    }

    /** Copy of this output with the weight of its objective multiplied by a factor. */
    public Output weighted(float factor) {
      return new Output(name, indexes, supervision.weighted(factor), derivativeWeights);
    }

    /** Copy of this output with {@code time} added to all times. */
    public Output shifted(int time) {
      List<Index> later = indexes.stream().map(i -> i.at(i.t() + time, i.x())).toList();
      return new Output(name, later, supervision, derivativeWeights);
    }

    /** Distance in time of consecutive frames. */
    private int distance() {
      if (supervision.frames() < 2) {
        throw new ShapeException(
            "[egs] the distance of output frames must be known to shift an example; got an output"
                + " of one frame; leave out --frame-shift.");
      }
      return indexes.get(supervision.sequences()).t() - indexes.getFirst().t();
    }

    /** Copy of this output with other weights of the derivative. */
    public Output withDerivativeWeights(float[] weights) {
      return new Output(name, indexes, supervision, weights);
    }

    /** Name of the output with log-probabilities for the cross-entropy. */
    public String xentName() {
      return name + XENT;
    }
  }

  /** Holder for tables of examples. */
  public static final Holder<ChainExample> HOLDER =
      new Holder<>() {
        @Override
        public boolean repeatsKeys() {
          return true;
        }

        @Override
        public ChainExample read(KaldiInput in) {
          return ChainExample.read(in);
        }

        @Override
        public void write(KaldiOutput out, ChainExample example) {
          example.write(out);
        }
      };

  /** Creates an example with at least one input and one supervised output. */
  public ChainExample {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    if (inputs.isEmpty() || outputs.isEmpty()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[egs] an example must have inputs and outputs; got %d and %d; make it again.",
              inputs.size(),
              outputs.size()));
    }
  }

  private static ChainExample read(KaldiInput in) {
    in.expectToken("<Nnet3ChainEg>");
    in.expectToken("<NumInputs>");
    var inputs = new ArrayList<NnetIo>();
    for (int k = count(in, "inputs"); k > 0; k--) {
      inputs.add(NnetIo.read(in));
    }
    in.expectToken("<NumOutputs>");
    var outputs = new ArrayList<Output>();
    for (int k = count(in, "outputs"); k > 0; k--) {
      outputs.add(output(in));
    }
    in.expectToken("</Nnet3ChainEg>");
    return new ChainExample(inputs, outputs);
  }

  private static int count(KaldiInput in, String what) {
    long at = in.offset();
    int count = in.readCount(what, SMALLEST);
    if (count == 0) {
      throw in.malformed(at, "an example must have " + what, "0");
    }
    return count;
  }

  private static Output output(KaldiInput in) {
    in.expectToken("<NnetChainSup>");
    String name = in.readToken();
    long at = in.offset();
    List<Index> indexes = NnetIo.readIndexes(in);
    ChainSupervision supervision = ChainSupervision.read(in);
    int rows = supervision.sequences() * supervision.frames();
    boolean ordered = indexes.size() == rows;
    for (int k = 0; ordered && k < rows; k++) {
      Index index = indexes.get(k);
      Index frame = indexes.get(k - k % supervision.sequences());
      ordered = index.n() == k % supervision.sequences() && index.t() == frame.t();
    }
    if (!ordered) {
      throw in.malformed(
          at,
          String.format(
              Locale.ROOT,
              "an output must have the indexes of %d frames of %d sequences, by time",
              supervision.frames(),
              supervision.sequences()),
          "others");
    }
    float[] weights = {};
    if (in.peekToken() == 'D') {
      at = in.offset();
      weights = weights(in);
      if (weights.length != 0 && weights.length != rows) {
        throw in.malformed(
            at,
            "there must be a weight for each of the " + rows + " rows, or none",
            weights.length + " weights");
      }
    }
    in.expectToken("</NnetChainSup>");
    return new Output(name, indexes, supervision, weights);
  }

  /** Old files have weights of 0 and 1 as characters. */
  private static float[] weights(KaldiInput in) {
    long at = in.offset();
    String token = in.readToken();
    if (token.equals("<DW2>")) {
      return in.readVector();
    }
    if (!token.equals("<DW>")) {
      throw in.malformed(
          at, "the token <DW2> or <DW> must come next", '"' + Excerpt.of(token) + '"');
    }
    int[] flags = in.binary() ? bytes(in) : in.readIntVector();
    var of = new float[flags.length];
    for (int k = 0; k < of.length; k++) {
      of[k] = flags[k];
    }
    return of;
  }

  private static int[] bytes(KaldiInput in) {
    in.readRaw(1, "the size of a weight");
    int count = (int) in.readRaw(Integer.BYTES, "the number of weights");
    in.need(count & 0xFFFFFFFFL, "the weights");
    var of = new int[count];
    for (int k = 0; k < count; k++) {
      of[k] = in.readByte();
    }
    return of;
  }

  private void write(KaldiOutput out) {
    out.writeToken("<Nnet3ChainEg>");
    out.writeToken("<NumInputs>");
    out.writeInt(inputs.size());
    out.endLine();
    for (NnetIo input : inputs) {
      input.write(out);
      out.endLine();
    }
    out.writeToken("<NumOutputs>");
    out.writeInt(outputs.size());
    out.endLine();
    for (Output output : outputs) {
      out.writeToken("<NnetChainSup>");
      out.writeToken(output.name);
      NnetIo.writeIndexes(out, output.indexes);
      output.supervision.write(out);
      out.writeToken("<DW2>");
      out.writeVector(output.derivativeWeights);
      out.writeToken("</NnetChainSup>");
      out.endLine();
    }
    out.writeToken("</Nnet3ChainEg>");
  }

  @Override
  public int size() {
    return Math.max(
        new NnetExample(inputs).size(),
        outputs.stream().mapToInt(output -> output.indexes.size()).max().orElse(0));
  }

  @Override
  public Object structure() {
    return List.of(
        new NnetExample(inputs).structure(),
        outputs.stream().map(output -> List.of(output.name, output.indexes)).toList());
  }

  @Override
  public ChainExample compressed() {
    return new ChainExample(new NnetExample(inputs).compressed().io(), outputs);
  }

  /**
   * Merges examples into one minibatch. Inputs are sorted by name; each output has the first frame
   * of all sequences, then the second, and so on.
   */
  @Override
  public ChainExample with(List<ChainExample> others) {
    List<ChainExample> all = Stream.concat(Stream.of(this), others.stream()).toList();
    NnetExample merged =
        NnetExample.merge(all.stream().map(each -> new NnetExample(each.inputs)).toList());
    return new ChainExample(
        merged.io(),
        IntStream.range(0, outputs.size())
            .mapToObj(k -> Output.merge(all.stream().map(each -> each.outputs.get(k)).toList()))
            .toList());
  }

  /**
   * Copy of this example with its inputs shifted in time, but for i-vectors. Outputs are shifted by
   * the nearest multiple of the distance of their frames.
   *
   * @throws ShapeException if an output has one frame, so that this distance is not known
   */
  public ChainExample shifted(int time) {
    var moved = new ArrayList<NnetIo>();
    for (NnetIo input : inputs) {
      moved.add(input.name().equals("ivector") ? input : input.shifted(time));
    }
    var others = new ArrayList<Output>();
    for (Output output : outputs) {
      int distance = output.distance();
      others.add(output.shifted(distance * (int) Math.floor(0.5 + (double) time / distance)));
    }
    return new ChainExample(moved, others);
  }

  /**
   * Computation request for this example: inputs are supplied, supervised outputs are requested.
   *
   * @param xent true to request the outputs for the cross-entropy too
   * @throws ComputationException if the network lacks an input or output of this example
   */
  ComputationRequest request(Nnet nnet, boolean xent) {
    return request(nnet, xent, false, false);
  }

  /**
   * Computation request for this example.
   *
   * @param xent true to request the outputs for the cross-entropy too
   * @param derivatives true if the backward pass computes derivatives of parameters
   * @param stats true if the forward pass stores component statistics
   * @throws ComputationException if the network lacks an input or output of this example
   */
  public ComputationRequest request(Nnet nnet, boolean xent, boolean derivatives, boolean stats) {
    var supplied = new ArrayList<ComputationRequest.Io>();
    for (NnetIo input : inputs) {
      require(nnet.inputDim(input.name()) >= 0, "input", input.name());
      supplied.add(new ComputationRequest.Io(input.name(), input.indexes(), false));
    }
    var requested = new ArrayList<ComputationRequest.Io>();
    for (Output output : outputs) {
      require(nnet.outputDim(output.name()) >= 0, "output", output.name());
      requested.add(new ComputationRequest.Io(output.name(), output.indexes(), derivatives));
      if (xent) {
        require(nnet.outputDim(output.xentName()) >= 0, "output", output.xentName());
        requested.add(new ComputationRequest.Io(output.xentName(), output.indexes(), derivatives));
      }
    }
    return new ComputationRequest(supplied, requested, derivatives, stats);
  }

  private static void require(boolean holds, String what, String name) {
    if (!holds) {
      throw new ComputationException(
          ("[chain] the network must have each %s of an example, and each output a twin that ends"
                  + " in -xent if xent-regularize is not 0; got no %s \"%s\"; use the network of"
                  + " the examples.")
              .formatted(what, what, Excerpt.of(name)));
    }
  }
}
