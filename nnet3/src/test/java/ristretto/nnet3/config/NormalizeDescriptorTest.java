package ristretto.nnet3.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Index;

/** The normal form of any descriptor gathers what the descriptor gathers. */
class NormalizeDescriptorTest {
  @Test
  void normalFormMeansTheSame() {
    for (int seed = 0; seed < 3000; seed++) {
      var random = new Random(seed);
      Descriptor d = any(random, 4, 1 + random.nextInt(2));
      Descriptor normal = d.normal();
      assertThat(normal.normal()).as("seed %d: %s", seed, d).isEqualTo(normal);
      for (int t = -4; t <= 4; t++) {
        int salt = random.nextInt();
        Predicate<Cindex> available = c -> (c.hashCode() * 31 + salt) % 5 != 0;
        var at = new Index(1, t, t % 2);
        List<Double> expected = value(d, at, available);
        assertThat(value(normal, at, available))
            .as("seed %d: %s became %s at %s", seed, d, normal, at)
            .isEqualTo(expected);
        assertThat(normal.isComputable(at, available)).isEqualTo(expected != null);
      }
    }
  }

  /**
   * Random descriptor of {@code terms} columns. Factors are powers of two, so that sums are exact.
   */
  private static Descriptor any(Random random, int depth, int terms) {
    if (terms > 1 && random.nextInt(3) > 0) {
      return new Descriptor.Append(
          List.of(any(random, depth - 1, 1), any(random, depth - 1, terms - 1)));
    }
    if (depth <= 0) {
      return terms > 1 || random.nextInt(5) == 0
          ? new Descriptor.Const(random.nextInt(3), terms)
          : new Descriptor.Source(random.nextInt(3), "abc".substring(0, 1));
    }
    int d = depth - 1;
    // Kaldi chooses for each column part alone, so Append goes out of what chooses.
    int form = terms > 1 ? 4 + random.nextInt(4) : random.nextInt(9);
    return switch (form) {
      case 0 -> new Descriptor.Sum(list(random, d, terms));
      case 1 -> new Descriptor.Switch(list(random, d, terms));
      case 2 -> new Descriptor.Failover(any(random, d, terms), any(random, d, terms));
      case 3 -> new Descriptor.IfDefined(any(random, d, terms));
      case 4 ->
          new Descriptor.Offset(
              any(random, d, terms), random.nextInt(3) - 1, random.nextInt(2) * random.nextInt(2));
      case 5 -> new Descriptor.Round(any(random, d, terms), 1 + random.nextInt(3));
      case 6 ->
          new Descriptor.ReplaceIndex(
              any(random, d, terms),
              Descriptor.ReplaceIndex.Variable.values()[random.nextInt(2)],
              random.nextInt(3));
      case 7 -> new Descriptor.Scale(random.nextBoolean() ? 2 : -0.5f, any(random, d, terms));
      default -> any(random, 0, terms);
    };
  }

  private static List<Descriptor> list(Random random, int depth, int terms) {
    var all = new ArrayList<Descriptor>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      all.add(any(random, depth, terms));
    }
    return all;
  }

  /** By the definition of each form, or null if it is not computable. */
  private static List<Double> value(Descriptor d, Index at, Predicate<Cindex> available) {
    return switch (d) {
      case Descriptor.Source(int node, String name) -> {
        var c = new Cindex(node, at);
        yield available.test(c) ? List.of((double) (c.hashCode() % 1000)) : null;
      }
      case Descriptor.Const(float value, int dim) -> Collections.nCopies(dim, (double) value);
      case Descriptor.Append(var parts) -> {
        var all = new ArrayList<Double>();
        for (Descriptor part : parts) {
          List<Double> v = value(part, at, available);
          if (v == null) {
            yield null;
          }
          all.addAll(v);
        }
        yield all;
      }
      case Descriptor.Sum(var terms) -> {
        List<Double> sum = value(terms.get(0), at, available);
        for (int i = 1; i < terms.size() && sum != null; i++) {
          List<Double> v = value(terms.get(i), at, available);
          sum = v == null ? null : add(sum, v);
        }
        yield sum;
      }
      case Descriptor.Switch(var cases) ->
          value(cases.get(Math.floorMod(at.t(), cases.size())), at, available);
      case Descriptor.Failover(var first, var second) -> {
        List<Double> v = value(first, at, available);
        yield v != null ? v : value(second, at, available);
      }
      case Descriptor.IfDefined(var inner) -> {
        List<Double> v = value(inner, at, available);
        yield v != null ? v : Collections.nCopies(inner.dim(node -> 1), 0.0);
      }
      case Descriptor.Offset(var inner, int t, int x) ->
          value(inner, new Index(at.n(), at.t() + t, at.x() + x), available);
      case Descriptor.Round(var inner, int m) ->
          value(inner, new Index(at.n(), Math.floorDiv(at.t(), m) * m, at.x()), available);
      case Descriptor.ReplaceIndex(var inner, var variable, int value) ->
          variable == Descriptor.ReplaceIndex.Variable.T
              ? value(inner, new Index(at.n(), value, at.x()), available)
              : value(inner, new Index(at.n(), at.t(), value), available);
      case Descriptor.Scale(float factor, var inner) -> {
        List<Double> v = value(inner, at, available);
        yield v == null ? null : v.stream().map(x -> x * factor + 0.0).toList();
      }
    };
  }

  private static List<Double> add(List<Double> a, List<Double> b) {
    var sum = new ArrayList<Double>();
    for (int i = 0; i < a.size(); i++) {
      sum.add(a.get(i) + b.get(i) + 0.0);
    }
    return sum;
  }
}
