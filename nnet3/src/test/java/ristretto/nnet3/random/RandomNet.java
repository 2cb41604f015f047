package ristretto.nnet3.random;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.graph.StreamingState;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;

/**
 * A network, a request and what that supplies, all of a seed.
 *
 * @param seed prints with whatever fails
 */
record RandomNet(
    long seed,
    RandomTopology topology,
    String config,
    Nnet nnet,
    SimpleContext context,
    ComputationRequest request,
    Map<String, Matrix> given,
    Map<String, Matrix> derivatives) {
  /**
   * Frames more on either side of an input whose context is not enough: what Failover and Switch
   * read differs from time to time, and a context is that of the first outputs of a long input.
   */
  private static final int MORE = 40;

  static RandomNet of(long seed) {
    RandomTopology[] all = RandomTopology.values();
    return of(all[(int) Math.floorMod(seed, (long) all.length)], seed);
  }

  static RandomNet of(RandomTopology topology, long seed) {
    var draw = new Draw(seed);
    String config = topology.config(draw);
    try {
      Nnet nnet = Nnet.fromConfig("seed " + seed, config, seed);
      SimpleContext context = SimpleContext.of(nnet);
      ComputationRequest request = request(draw, nnet, context, topology.isRecurrent(), 0);
      if (hasChoices(config) && !isComputable(nnet, request)) {
        draw = new Draw(seed);
        topology.config(draw);
        request = request(draw, nnet, context, topology.isRecurrent(), MORE);
      }
      var given = new LinkedHashMap<String, Matrix>();
      for (ComputationRequest.Io io : request.inputs()) {
        given.put(io.name(), draw.gaussian(io.indexes().size(), nnet.inputDim(io.name())));
      }
      var derivatives = new LinkedHashMap<String, Matrix>();
      for (ComputationRequest.Io io : request.outputs()) {
        if (io.hasDeriv()) {
          derivatives.put(io.name(), draw.gaussian(io.indexes().size(), nnet.outputDim(io.name())));
        }
      }
      return new RandomNet(seed, topology, config, nnet, context, request, given, derivatives);
    } catch (RuntimeException e) {
      throw new AssertionError("seed " + seed + ", " + topology + "\n" + config, e);
    }
  }

  private static boolean hasChoices(String config) {
    return config.contains("Failover(") || config.contains("Switch(");
  }

  private static boolean isComputable(Nnet nnet, ComputationRequest request) {
    for (boolean[] rows : StreamingState.computable(nnet, request)) {
      for (boolean row : rows) {
        if (!row) {
          return false;
        }
      }
    }
    return true;
  }

  private static ComputationRequest request(
      Draw draw, Nnet nnet, SimpleContext context, boolean recurrent, int more) {
    int first = draw.between(0, 9);
    int step = draw.oneIn(5) ? draw.between(2, 3) : 1;
    int frames = draw.between(1, 10);
    int end = first + (frames - 1) * step + 1;
    int from = first - context.left() - draw.between(0, 2);
    int to = Math.max(end + context.right() + draw.between(0, 2), from + 3);
    if (nnet.components().values().stream().anyMatch(c -> c.type().startsWith("Statistics"))) {
      // any frame within reach will do for these, so that none is said to be needed
      from = Math.min(from, first - draw.between(1, 5));
      to = Math.max(to, end + draw.between(1, 5));
    }
    if (recurrent && draw.oneIn(3)) {
      // some more of the past than is needed, for recurrences to see
      from -= draw.between(1, 6);
    }
    from -= more;
    to += more;
    boolean derivatives = draw.coin();
    int sequences = draw.between(1, 4);
    int n = draw.between(0, 1);
    boolean timeFirst = draw.oneIn(4);
    var inputs = new ArrayList<ComputationRequest.Io>();
    inputs.add(
        new ComputationRequest.Io(
            "input",
            rows(draw, n, sequences, from, to, 1, timeFirst, false),
            derivatives && draw.coin()));
    if (nnet.inputDim("ivector") > 0) {
      inputs.add(
          new ComputationRequest.Io(
              "ivector",
              rows(draw, n, sequences, 0, 1, 1, timeFirst, false),
              derivatives && draw.coin()));
    }
    var outputs = new ArrayList<ComputationRequest.Io>();
    boolean ragged = draw.oneIn(8);
    outputs.add(
        new ComputationRequest.Io(
            "output", rows(draw, n, sequences, first, end, step, timeFirst, ragged), derivatives));
    if (nnet.outputDim("other") > 0) {
      outputs.add(
          new ComputationRequest.Io(
              "other",
              rows(draw, n, sequences, first, end, step, timeFirst, ragged),
              derivatives && draw.coin()));
    }
    boolean model = derivatives && draw.coin();
    boolean statistics = draw.coin();
    if (derivatives && !model && inputs.stream().noneMatch(ComputationRequest.Io::hasDeriv)) {
      model = true;
    }
    return new ComputationRequest(inputs, outputs, model, statistics);
  }

  private static List<Index> rows(
      Draw draw, int n, int count, int from, int to, int step, boolean timeFirst, boolean ragged) {
    var rows = new ArrayList<Index>();
    for (int k = n; k < n + count; k++) {
      int least = ragged ? draw.between(from, to - 1) : from;
      least -= Math.floorMod(least - from, step);
      for (int t = least; t < to; t += step) {
        rows.add(new Index(k, t));
      }
    }
    if (timeFirst) {
      rows.sort((a, b) -> a.t() != b.t() ? Integer.compare(a.t(), b.t()) : a.n() - b.n());
    }
    return rows;
  }

  /** With another network that has the same nodes. */
  RandomNet with(Nnet other) {
    return new RandomNet(seed, topology, config, other, context, request, given, derivatives);
  }

  /** With a config of the same nodes, whose components differ in what draws no parameters. */
  RandomNet withConfig(UnaryOperator<String> change) {
    String other = change.apply(config);
    Nnet made = Nnet.fromConfig("seed " + seed, other, seed);
    return new RandomNet(seed, topology, other, made, context, request, given, derivatives);
  }

  /** With other numbers for its inputs; those it has are number 0. */
  RandomNet withInputs(int number) {
    if (number == 0) {
      return this;
    }
    var draw = new Draw(seed + 1000 * number);
    var others = new LinkedHashMap<String, Matrix>();
    given.forEach((name, m) -> others.put(name, draw.gaussian(m.rows(), m.cols())));
    return new RandomNet(seed, topology, config, nnet, context, request, others, derivatives);
  }

  /** With derivatives by everything. */
  RandomNet withAllDerivatives() {
    var inputs = new ArrayList<ComputationRequest.Io>();
    request.inputs().forEach(io -> inputs.add(derived(io)));
    var outputs = new ArrayList<ComputationRequest.Io>();
    request.outputs().forEach(io -> outputs.add(derived(io)));
    var derivs = new LinkedHashMap<String, Matrix>();
    var draw = new Draw(seed + 1);
    for (ComputationRequest.Io io : outputs) {
      derivs.put(io.name(), draw.gaussian(io.indexes().size(), nnet.outputDim(io.name())));
    }
    return new RandomNet(
        seed,
        topology,
        config,
        nnet,
        context,
        new ComputationRequest(inputs, outputs, true, request.storeComponentStats()),
        given,
        derivs);
  }

  private static ComputationRequest.Io derived(ComputationRequest.Io io) {
    return new ComputationRequest.Io(io.name(), io.indexes(), true);
  }

  @Override
  public String toString() {
    return "seed " + seed + ", " + topology;
  }

  /** Description that is printed with a failure. */
  String description() {
    return this + "\n" + config + request;
  }
}
