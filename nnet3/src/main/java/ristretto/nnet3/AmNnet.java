package ristretto.nnet3;

import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.hmm.ContextTree;
import ristretto.nnet3.hmm.Topology;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * An acoustic model ({@code .mdl}): a transition model, a network and the priors of its outputs.
 * The transition model is kept as the bytes it is, and understood only where a model is written in
 * another mode than it was read in.
 */
public final class AmNnet {
  private static final Logger LOG = LoggerFactory.getLogger(AmNnet.class);

  /** Bytes that tell that a file is binary. */
  private static final int HEADER = 2;

  private final Transitions transitions;
  private final Nnet nnet;
  private final SimpleContext context;
  private final float[] priors;

  /**
   * A transition model.
   *
   * @param name of the file it is from
   * @param binary whether the bytes are binary
   * @param bytes as they stand there
   */
  private record Transitions(String name, boolean binary, byte[] bytes) {
    static Transitions read(KaldiInput in) {
      if (in.peekToken() != 'T') {
        throw in.malformed(
            in.offset(), "a model must begin with <TransitionModel>", "something else");
      }
      return new Transitions(in.name(), in.binary(), in.readThrough("</TransitionModel>"));
    }

    static Transitions of(String name, TransitionModel model) {
      byte[] whole = KaldiOutput.bytes(true, model::write);
      return new Transitions(name, true, Arrays.copyOfRange(whole, HEADER, whole.length));
    }

    void write(KaldiOutput out) {
      if (out.binary() == binary) {
        out.writeBytes(bytes);
        return;
      }
      byte[] whole = KaldiOutput.bytes(binary, to -> to.writeBytes(bytes));
      try (KaldiInput in = KaldiInput.of(name, whole)) {
        TransitionModel.read(in).write(out);
      }
    }
  }

  private AmNnet(Transitions transitions, Nnet nnet, float[] priors) {
    this.transitions = transitions;
    this.nnet = nnet;
    this.context = SimpleContext.of(nnet);
    this.priors = priors;
  }

  /** The model in a file. */
  public static AmNnet load(String rxfilename) {
    return load(rxfilename, false);
  }

  /**
   * The same.
   *
   * @param onlyFinite whether a number that is infinite or NaN is an error
   */
  public static AmNnet load(String rxfilename, boolean onlyFinite) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      return read(onlyFinite ? in.requireFinite() : in);
    }
  }

  /**
   * Reads a transition model, for whether it is one.
   *
   * @throws FileFormatException if the file begins with something else
   */
  public static void requireTransitionModel(String rxfilename) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      Transitions.read(in);
    }
  }

  /**
   * A model without priors of a network and the transition model in a file, which may have more
   * after it, as a model has.
   */
  public static AmNnet of(String transitionModel, Nnet nnet) {
    try (KaldiInput in = KaldiInput.open(transitionModel)) {
      return new AmNnet(Transitions.read(in), nnet, new float[0]);
    }
  }

  /** The same of the transition model that a tree and a topology, each in a file, allow. */
  public static AmNnet of(String tree, String topology, Nnet nnet) {
    TransitionModel model = TransitionModel.of(ContextTree.load(tree), Topology.load(topology));
    int outputs = nnet.outputDim("output");
    if (outputs >= 0 && outputs != model.distributions()) {
      LOG.warn(
          "The network has {} outputs for {} distributions of the tree.",
          outputs,
          model.distributions());
    }
    return new AmNnet(Transitions.of(topology, model), nnet, new float[0]);
  }

  static AmNnet read(KaldiInput in) {
    Transitions transitions = Transitions.read(in);
    Nnet nnet = NnetFile.read(in);
    in.expectToken("<LeftContext>");
    in.readInt();
    in.expectToken("<RightContext>");
    in.readInt();
    in.expectToken("<Priors>");
    float[] priors = in.readVector();
    // The context that is written is not to be relied on.
    return new AmNnet(transitions, nnet, priors);
  }

  /** Writes the model to a file. */
  public void save(String wxfilename, boolean asBinary) {
    KaldiOutput.write(wxfilename, asBinary, this::write);
  }

  void write(KaldiOutput out) {
    transitions.write(out);
    NnetFile.write(nnet, out);
    out.writeToken("<LeftContext>");
    out.writeInt(context.left());
    out.writeToken("<RightContext>");
    out.writeInt(context.right());
    out.writeToken("<Priors>");
    out.writeVector(priors);
  }

  /** The network. */
  public Nnet nnet() {
    return nnet;
  }

  /** The context of the network. */
  public SimpleContext context() {
    return context;
  }

  /** The priors of the outputs; none if empty. */
  public float[] priors() {
    return priors.clone();
  }

  /** The same with another network, and without priors if its output dimension is another one. */
  public AmNnet withNnet(Nnet other) {
    Objects.requireNonNull(other);
    boolean keeps = priors.length == other.outputDim("output");
    return new AmNnet(transitions, other, keeps ? priors : new float[0]);
  }

  /** The same with other priors, of which there may be none. */
  public AmNnet withPriors(float[] others) {
    int dim = nnet.outputDim("output");
    if (others.length != 0 && others.length != dim) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[am-nnet] priors must be as many as outputs; got %d for %d; give none or all.",
              others.length,
              dim));
    }
    return new AmNnet(transitions, nnet, others.clone());
  }

  /** What nnet3-am-info tells. */
  public String info() {
    return info(false);
  }

  /**
   * The same.
   *
   * @param singularValues whether to add the singular values of matrices of parameters
   */
  public String info(boolean singularValues) {
    var text = new StringBuilder();
    text.append("input-dim: ").append(nnet.inputDim("input")).append('\n');
    text.append("ivector-dim: ").append(nnet.inputDim("ivector")).append('\n');
    text.append("num-pdfs: ").append(nnet.outputDim("output")).append('\n');
    text.append("prior-dimension: ").append(priors.length).append('\n');
    if (priors.length > 0) {
      double sum = 0;
      for (float prior : priors) {
        sum += prior;
      }
      float[] sorted = priors.clone();
      Arrays.sort(sorted);
      text.append("prior-sum: ").append(FloatText.of((float) sum, 6)).append('\n');
      text.append("prior-min: ").append(FloatText.of(sorted[0], 6)).append('\n');
      text.append("prior-max: ").append(FloatText.of(sorted[sorted.length - 1], 6)).append('\n');
    }
    return text.append("# Nnet info follows.\n").append(nnet.info(singularValues)).toString();
  }
}
