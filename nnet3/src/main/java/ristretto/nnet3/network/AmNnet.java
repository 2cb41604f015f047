package ristretto.nnet3.network;

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
 * Acoustic model ({@code .mdl}): a transition model, a network and the priors of its outputs. The
 * transition model is kept as raw bytes and parsed only to convert between text and binary mode.
 */
public final class AmNnet {
  private static final Logger LOG = LoggerFactory.getLogger(AmNnet.class);

  /** Length in bytes of the header that marks a binary file. */
  private static final int HEADER = 2;

  private final Transitions transitions;
  private final Nnet nnet;
  private final SimpleContext context;
  private final float[] priors;

  /**
   * Unparsed transition model.
   *
   * @param name of the file it was read from
   * @param binary true if the bytes are in binary mode
   * @param bytes content from {@code <TransitionModel>} to {@code </TransitionModel>}
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

  /** Reads a model from a file. */
  public static AmNnet load(String rxfilename) {
    return load(rxfilename, false);
  }

  /**
   * Reads a model from a file, optionally refusing infinite and NaN values.
   *
   * @param onlyFinite true if an infinite or NaN number is an error
   */
  public static AmNnet load(String rxfilename, boolean onlyFinite) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      return read(onlyFinite ? in.requireFinite() : in);
    }
  }

  /**
   * Checks that a file begins with a transition model.
   *
   * @throws FileFormatException if the file begins with something else
   */
  public static void requireTransitionModel(String rxfilename) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      Transitions.read(in);
    }
  }

  /**
   * Returns a model without priors, made of a network and the transition model of a file; content
   * of the file after the transition model, as in a {@code .mdl}, is ignored.
   */
  public static AmNnet of(String transitionModel, Nnet nnet) {
    try (KaldiInput in = KaldiInput.open(transitionModel)) {
      return new AmNnet(Transitions.read(in), nnet, new float[0]);
    }
  }

  /**
   * Returns a model without priors, made of a network and the transition model that a tree file and
   * a topology file define.
   */
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
    // The stored context is unreliable; the constructor computes it from the network.
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

  /** Returns the network. */
  public Nnet nnet() {
    return nnet;
  }

  /** Returns the context of the network. */
  public SimpleContext context() {
    return context;
  }

  /** Returns a copy of the priors of the outputs; empty if the model has none. */
  public float[] priors() {
    return priors.clone();
  }

  /**
   * Returns this model with another network; the priors are dropped if the output dimension
   * differs.
   */
  public AmNnet withNnet(Nnet other) {
    Objects.requireNonNull(other);
    boolean keeps = priors.length == other.outputDim("output");
    return new AmNnet(transitions, other, keeps ? priors : new float[0]);
  }

  /**
   * Returns this model with other priors.
   *
   * @param others one prior per output, or an empty array for none
   * @throws ShapeException if the number of priors is neither 0 nor the output dimension
   */
  public AmNnet withPriors(float[] others) {
    int dim = nnet.outputDim("output");
    if (others.length != 0 && others.length != dim) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[am-nnet] the number of priors must be the number of outputs; got %d for %d; give"
                  + " one per output or none.",
              others.length,
              dim));
    }
    return new AmNnet(transitions, nnet, others.clone());
  }

  /** Returns the text that nnet3-am-info prints. */
  public String info() {
    return info(false);
  }

  /**
   * Returns the text that nnet3-am-info prints, optionally with singular values.
   *
   * @param singularValues true to add the singular values of parameter matrices
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
