package ristretto.onnx.operator;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;

/** Recurrent layers, unrolled over the time steps. */
final class RecurrentRules {
  private RecurrentRules() {}

  static void addTo(Rules rules) {
    rules.add("RNN", n -> run(n, 1));
    rules.add("GRU", n -> run(n, 3));
    rules.add("LSTM", n -> run(n, 4));
  }

  /**
   * State of a direction.
   *
   * @param h output {@code [b, d]}
   * @param c cell of an LSTM, or null
   */
  private record State(Expr<Object> h, Expr<Object> c) {}

  private static List<Value> run(NodeCall n, int gates) {
    boolean batched = n.integer("layout", 0) == 1;
    long size = n.integer("hidden_size", 0);
    String direction = n.text("direction", "forward");
    boolean both = direction.equals("bidirectional");
    Expr<Object> x = batched ? n.in(0).permute(1, 0, 2) : n.in(0);
    long steps = x.shape().at(0);
    n.requireKnown(steps);
    long batch = x.shape().at(1);
    var outputs = new ArrayList<Expr<Object>>();
    var last = new ArrayList<Expr<Object>>();
    var cells = new ArrayList<Expr<Object>>();
    for (int d = 0; d < (both ? 2 : 1); d++) {
      var direct = new Direction(n, gates, d, size);
      Expr<Object> zeros = NodeCall.erase(Ops.fill(x.dtype(), 0, batch, size));
      State s = new State(initial(n, 5, d, batched, zeros), initial(n, 6, d, batched, zeros));
      boolean back = d == 1 || direction.equals("reverse");
      Expr<Object>[] all = array(steps);
      for (long k = 0; k < steps; k++) {
        long t = back ? steps - 1 - k : k;
        Expr<Object> in = ViewRules.part(x, 0, t, t + 1).reshape(batch, x.shape().at(2));
        State next = direct.step(in, s);
        if (n.has(4)) {
          Expr<BOOL> runs = NodeCall.erase(n.in(4).cast(Ops.I64)).gt(t).unsqueeze(1);
          all[(int) t] = Ops.where(runs, next.h, NodeCall.number(zeros, 0));
          s =
              new State(
                  Ops.where(runs, next.h, s.h),
                  next.c == null ? null : Ops.where(runs, next.c, s.c));
        } else {
          all[(int) t] = next.h;
          s = next;
        }
      }
      outputs.add(Ops.stack(0, List.of(all)));
      last.add(s.h);
      cells.add(s.c);
    }
    // [t, directions, b, d]; [b, t, directions, d] if batched.
    Expr<Object> y = Ops.stack(1, outputs);
    Expr<Object> h = Ops.stack(batched ? 1 : 0, last);
    var results = new ArrayList<Value>();
    results.add(Value.of(batched ? y.permute(2, 0, 1, 3) : y));
    results.add(Value.of(h));
    if (gates == 4) {
      results.add(Value.of(Ops.stack(batched ? 1 : 0, cells)));
    }
    return results;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Expr<Object>[] array(long size) {
    return new Expr[Math.toIntExact(size)];
  }

  private static Expr<Object> initial(
      NodeCall n, int i, int d, boolean batched, Expr<Object> zeros) {
    return n.has(i)
        ? ViewRules.part(n.in(i), batched ? 1 : 0, d, d + 1).reshape(zeros.shape().toArray())
        : zeros;
  }

  /** Weights and activation functions of a direction. */
  private static final class Direction {
    private final int gates;
    private final Expr<Object> w;
    private final Expr<Object> r;
    private final Expr<Object> wb;
    private final Expr<Object> rb;
    private final Expr<Object> peepholes;
    private final List<Activation> activations = new ArrayList<>();
    private final long size;
    private final boolean linearBeforeReset;
    private final boolean coupled;
    private final double clip;

    Direction(NodeCall n, int gates, int d, long size) {
      this.gates = gates;
      this.size = size;
      this.w = matrix(n.in(1), d).t();
      this.r = matrix(n.in(2), d).t();
      Expr<Object> b = n.has(3) ? matrix(n.in(3), d) : null;
      this.wb = b == null ? null : ViewRules.part(b, 0, 0, gates * size);
      this.rb = b == null ? null : ViewRules.part(b, 0, gates * size, 2L * gates * size);
      this.peepholes = gates == 4 && n.has(7) ? matrix(n.in(7), d) : null;
      this.linearBeforeReset = gates == 3 && n.flag("linear_before_reset", false);
      this.coupled = gates == 4 && n.flag("input_forget", false);
      this.clip = n.number("clip", 0);
      List<String> given = n.list("activations", String.class);
      List<Float> alpha = n.list("activation_alpha", Float.class);
      List<Float> beta = n.list("activation_beta", Float.class);
      List<String> usual =
          switch (gates) {
            case 1 -> List.of("Tanh");
            case 3 -> List.of("Sigmoid", "Tanh");
            default -> List.of("Sigmoid", "Tanh", "Tanh");
          };
      for (int k = 0; k < usual.size(); k++) {
        int at = d * usual.size() + k;
        String name = given == null ? usual.get(k) : given.get(at);
        activations.add(
            Activation.of(
                n,
                name,
                alpha != null && at < alpha.size() ? alpha.get(at) : null,
                beta != null && at < beta.size() ? beta.get(at) : null));
      }
    }

    private static Expr<Object> matrix(Expr<Object> all, int d) {
      Expr<Object> one = ViewRules.part(all, 0, d, d + 1);
      return one.reshape(
          java.util.Arrays.copyOfRange(all.shape().toArray(), 1, all.shape().rank()));
    }

    private Expr<Object> gate(Expr<Object> all, int k) {
      return ViewRules.part(all, all.shape().rank() - 1, k * size, (k + 1) * size);
    }

    private Expr<Object> apply(int f, Expr<Object> x) {
      return activations.get(f).of(clip > 0 ? Ops.clamp(x, -clip, clip) : x);
    }

    State step(Expr<Object> x, State s) {
      Expr<Object> in = Ops.matmul(x, w);
      if (wb != null) {
        in = in.plus(wb);
      }
      return switch (gates) {
        case 1 -> new State(apply(0, in.plus(recurrent(s.h, r, rb))), null);
        case 3 -> gru(in, s);
        default -> lstm(in.plus(recurrent(s.h, r, rb)), s);
      };
    }

    private static Expr<Object> recurrent(Expr<Object> h, Expr<Object> r, Expr<Object> b) {
      Expr<Object> y = Ops.matmul(h, r);
      return b == null ? y : y.plus(b);
    }

    /** Gates z, r, h. */
    private State gru(Expr<Object> in, State s) {
      Expr<Object> all = recurrent(s.h, r, rb);
      Expr<Object> z = apply(0, gate(in, 0).plus(gate(all, 0)));
      Expr<Object> reset = apply(0, gate(in, 1).plus(gate(all, 1)));
      Expr<Object> candidate =
          linearBeforeReset
              ? reset.times(gate(all, 2))
              : recurrent(reset.times(s.h), gate(r, 2), rb == null ? null : gate(rb, 2));
      Expr<Object> h = apply(1, gate(in, 2).plus(candidate));
      return new State(h.plus(z.times(s.h.minus(h))), null);
    }

    /** Gates i, o, f, c; peepholes i, o, f. */
    private State lstm(Expr<Object> all, State s) {
      Expr<Object> i = apply(0, peep(gate(all, 0), 0, s.c));
      Expr<Object> f = coupled ? i.neg().plus(1.0) : apply(0, peep(gate(all, 2), 2, s.c));
      Expr<Object> c = f.times(s.c).plus(i.times(apply(1, gate(all, 3))));
      Expr<Object> o = apply(0, peep(gate(all, 1), 1, c));
      return new State(o.times(activations.get(2).of(c)), c);
    }

    private Expr<Object> peep(Expr<Object> in, int k, Expr<Object> cell) {
      return peepholes == null ? in : in.plus(gate(peepholes, k).times(cell));
    }
  }

  /** An activation function with its parameters. */
  private interface Activation {
    Expr<Object> of(Expr<Object> x);

    static Activation of(NodeCall n, String name, Float alpha, Float beta) {
      return switch (name) {
        case "Tanh" -> Ops::tanh;
        case "Sigmoid" -> Ops::sigmoid;
        case "Relu" -> x -> Ops.max(x, NodeCall.number(x, 0));
        case "Affine" -> x -> x.times(or(alpha, 1)).plus(or(beta, 0));
        case "LeakyRelu" -> x -> Ops.leakyRelu(x, or(alpha, 0.01));
        case "ScaledTanh" -> x -> Ops.tanh(x.times(or(beta, 1))).times(or(alpha, 1));
        case "HardSigmoid" -> x -> ActivationRules.hardSigmoid(x, or(alpha, 0.2), or(beta, 0.5));
        case "Softsign" -> x -> x.div(Ops.abs(x).plus(1.0));
        case "Softplus" -> Ops::softplus;
        default ->
            throw n.refuse(
                "activations must be those of the operator", name, "Use Sigmoid or Tanh");
      };
    }

    private static double or(Float given, double otherwise) {
      return given == null ? otherwise : given;
    }
  }
}
