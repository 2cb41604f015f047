package ristretto.nnet3.graph;

import java.util.Arrays;
import java.util.List;
import ristretto.nnet3.Component;
import ristretto.nnet3.TimeOffsets;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;

/** Time bounds of each node: outside of them a row cannot have a value in any request. */
final class TimeBounds {
  /** Times from {@code lo} to {@code hi}, inclusive; empty if {@code hi < lo}. */
  record Span(long lo, long hi) {
    /** Bound larger than any time, used as infinity. */
    private static final long FAR = 1L << 40;

    static final Span ALL = new Span(-FAR, FAR);
    static final Span NONE = new Span(FAR, -FAR);

    boolean isEmpty() {
      return lo > hi;
    }

    Span and(Span o) {
      return new Span(Math.max(lo, o.lo), Math.min(hi, o.hi));
    }

    Span or(Span o) {
      if (isEmpty()) {
        return o;
      }
      return o.isEmpty() ? this : new Span(Math.min(lo, o.lo), Math.max(hi, o.hi));
    }

    /** Returns the span with {@code low} and {@code high} added to its ends; infinite ends stay. */
    Span plus(long low, long high) {
      return isEmpty() ? NONE : new Span(lo == -FAR ? lo : lo + low, hi == FAR ? hi : hi + high);
    }
  }

  private final Nnet nnet;
  private final Span[] spans;

  /**
   * Iterates the bounds to a fixed point, epoch by epoch.
   *
   * @param epochs in topological order
   * @param supplied times that the user supplies, by node
   */
  TimeBounds(Nnet nnet, List<int[]> epochs, Span[] supplied) {
    this.nnet = nnet;
    this.spans = new Span[supplied.length];
    Arrays.fill(spans, Span.ALL);
    for (int[] epoch : epochs) {
      boolean changed = true;
      for (int round = 0; changed && round <= epoch.length; round++) {
        changed = false;
        for (int node : epoch) {
          Span next = of(nnet.node(node)).or(supplied[node]);
          changed |= !next.equals(spans[node]);
          spans[node] = next;
        }
      }
    }
  }

  /** Returns the span of the rows of a node. */
  Span of(int node) {
    return spans[node];
  }

  private Span of(Node node) {
    return switch (node) {
      case Node.InputNode _ -> Span.NONE;
      case Node.DimRangeNode n -> spans[n.source().node()];
      case Node.OutputNode n -> of(n.input());
      case Node.ComponentNode n -> {
        Component component = nnet.component(n);
        Span read = of(n.input());
        if (component.isSimple()) {
          yield read;
        }
        TimeOffsets reach = component.reach().orElse(null);
        yield reach == null ? Span.ALL : read.plus(-reach.last(), -reach.first());
      }
    };
  }

  /** Returns the span in which a descriptor can be computed. */
  Span of(Descriptor d) {
    return switch (d) {
      case Descriptor.Source(int node, String _) -> spans[node];
      case Descriptor.Offset(var inner, int t, int _) -> of(inner).plus(-t, -t);
      case Descriptor.Round(var inner, int modulus) -> of(inner).plus(0, modulus - 1);
      case Descriptor.ReplaceIndex(var inner, var variable, int value) -> {
        Span span = of(inner);
        if (variable == Descriptor.ReplaceIndex.Variable.X) {
          yield span;
        }
        yield span.lo <= value && value <= span.hi ? Span.ALL : Span.NONE;
      }
      case Descriptor.IfDefined _, Descriptor.Const _ -> Span.ALL;
      case Descriptor.Failover _, Descriptor.Switch _ -> {
        Span any = Span.NONE;
        for (Descriptor child : d.children()) {
          any = any.or(of(child));
        }
        yield any;
      }
      case Descriptor.Append _, Descriptor.Sum _, Descriptor.Scale _ -> {
        Span all = Span.ALL;
        for (Descriptor child : d.children()) {
          all = all.and(of(child));
        }
        yield all;
      }
    };
  }
}
