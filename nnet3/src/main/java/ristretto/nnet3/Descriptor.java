package ristretto.nnet3;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * How a node gathers what it reads: for each row it asks for, where that row comes from. A network
 * keeps descriptors in Kaldi's normal form ({@link #normal}): {@link Append} outermost, then {@link
 * Sum} of two, {@link Failover}, {@link IfDefined} and {@link Const}, then {@link Offset}, {@link
 * Switch}, {@link Round} and {@link ReplaceIndex}, then {@link Scale}, then {@link Source}. What
 * has no such form stays nested as it is; its meaning is the same.
 *
 * <p>Text is as Kaldi prints it.
 */
public sealed interface Descriptor {
  /** The row of a node. */
  record Source(int node, String name) implements Descriptor {
    @Override
    public String toString() {
      return name;
    }
  }

  /** The columns of each part, side by side. */
  record Append(List<Descriptor> parts) implements Descriptor {
    /** Parts of which there is at least one. */
    public Append {
      parts = List.copyOf(parts);
    }

    @Override
    public String toString() {
      return DescriptorText.call("Append", parts);
    }
  }

  /** The sum of its terms. Computable if all are. */
  record Sum(List<Descriptor> terms) implements Descriptor {
    /** Terms of which there is at least one. */
    public Sum {
      terms = List.copyOf(terms);
    }

    @Override
    public String toString() {
      return DescriptorText.call("Sum", terms);
    }
  }

  /** The first if it is computable, else the second. */
  record Failover(Descriptor first, Descriptor second) implements Descriptor {
    @Override
    public String toString() {
      return DescriptorText.call("Failover", List.of(first, second));
    }
  }

  /** What is inside if it is computable, else zeros. */
  record IfDefined(Descriptor inner) implements Descriptor {
    @Override
    public String toString() {
      return DescriptorText.call("IfDefined", List.of(inner));
    }
  }

  /** The row at t + {@code t} and x + {@code x}. */
  record Offset(Descriptor inner, int t, int x) implements Descriptor {
    @Override
    public String toString() {
      return "Offset(" + inner + ", " + t + (x == 0 ? "" : ", " + x) + ")";
    }
  }

  /** Of k cases, the one with number t modulo k (at least 0 for each t). */
  record Switch(List<Descriptor> cases) implements Descriptor {
    /** Cases of which there is at least one. */
    public Switch {
      cases = List.copyOf(cases);
    }

    /** The case for time {@code t}. */
    public Descriptor at(int t) {
      return cases.get(Math.floorMod(t, cases.size()));
    }

    @Override
    public String toString() {
      return DescriptorText.call("Switch", cases);
    }
  }

  /** The row at the largest multiple of {@code modulus} that is not above t. */
  record Round(Descriptor inner, int modulus) implements Descriptor {
    @Override
    public String toString() {
      return "Round(" + inner + ", " + modulus + ")";
    }
  }

  /** The row at t = {@code value}, or at x = {@code value}. */
  record ReplaceIndex(Descriptor inner, Variable variable, int value) implements Descriptor {
    /** What is replaced. */
    public enum Variable {
      /** The time. */
      T,
      /** The coordinate x. */
      X
    }

    @Override
    public String toString() {
      return "ReplaceIndex(" + inner + (variable == Variable.T ? ", t, " : ", x, ") + value + ")";
    }
  }

  /** {@code factor} times what is inside. */
  record Scale(float factor, Descriptor inner) implements Descriptor {
    @Override
    public String toString() {
      return "Scale(" + DescriptorText.number(factor) + ", " + inner + ")";
    }
  }

  /** {@code dim} columns of {@code value}, for each row. */
  record Const(float value, int dim) implements Descriptor {
    @Override
    public String toString() {
      return "Const(" + DescriptorText.number(value) + ", " + dim + ")";
    }
  }

  /**
   * The descriptor that {@code text} says, in normal form. A node's number is its place in {@code
   * names}; places that descriptors cannot read are null.
   *
   * @throws ConfigException if it says none
   */
  static Descriptor parse(String text, List<String> names) {
    ConfigLine line = ConfigLine.of("descriptor", "input='" + text + "'");
    return new DescriptorParser(line, "input", names).parse().normal();
  }

  /** In Kaldi's normal form, as far as there is one. */
  default Descriptor normal() {
    return NormalizeDescriptor.apply(this);
  }

  /** What stands directly inside. */
  default List<Descriptor> children() {
    return switch (this) {
      case Append(var parts) -> parts;
      case Sum(var terms) -> terms;
      case Switch(var cases) -> cases;
      case Failover(var first, var second) -> List.of(first, second);
      case IfDefined(var inner) -> List.of(inner);
      case Offset(var inner, int t, int x) -> List.of(inner);
      case Round(var inner, int modulus) -> List.of(inner);
      case ReplaceIndex(var inner, var variable, int value) -> List.of(inner);
      case Scale(float factor, var inner) -> List.of(inner);
      case Source s -> List.of();
      case Const c -> List.of();
    };
  }

  /** The parts whose columns lie side by side: of an Append its parts, else this alone. */
  default List<Descriptor> parts() {
    return this instanceof Append(var parts) ? parts : List.of(this);
  }

  /** Passes each occurrence of a node, from left to right, to {@code sink}. */
  default void sources(Consumer<Source> sink) {
    if (this instanceof Source s) {
      sink.accept(s);
    }
    children().forEach(c -> c.sources(sink));
  }

  /** The same with each occurrence of a node replaced. */
  default Descriptor mapSources(UnaryOperator<Source> f) {
    return this instanceof Source s
        ? f.apply(s)
        : NormalizeDescriptor.mapChildren(this, child -> child.mapSources(f));
  }

  /**
   * The number of columns, where {@code nodeDim} tells that of a node's rows.
   *
   * @throws DimException if parts that must agree do not
   */
  default int dim(IntUnaryOperator nodeDim) {
    return switch (this) {
      case Source(int node, String name) -> nodeDim.applyAsInt(node);
      case Const(float value, int dim) -> dim;
      case Append(var parts) -> parts.stream().mapToInt(p -> p.dim(nodeDim)).sum();
      default -> DimException.equalDims(this, nodeDim);
    };
  }

  /**
   * A whole number m such that what the descriptor reads does not change when t and all times shift
   * by m: 1 unless there is a Switch or a Round.
   */
  default int modulus() {
    return switch (this) {
      // What is inside sees only multiples.
      case Round(var inner, int modulus) -> modulus;
      case ReplaceIndex r -> 1;
      case Switch(var cases) -> leastCommon(cases, cases.size());
      default -> leastCommon(children(), 1);
    };
  }

  private static int leastCommon(List<Descriptor> all, int start) {
    int least = start;
    for (Descriptor d : all) {
      least = Math.toIntExact(lcm(least, d.modulus()));
    }
    return least;
  }

  /** The least common multiple of two numbers of at least 1. */
  static long lcm(long a, long b) {
    long x = a;
    long y = b;
    while (y != 0) {
      long rest = x % y;
      x = y;
      y = rest;
    }
    return a / x * b;
  }

  /**
   * Passes every row that the row at {@code index} might read, from left to right, to {@code sink}.
   */
  default void dependencies(Index index, Consumer<Cindex> sink) {
    switch (this) {
      case Source(int node, String name) -> sink.accept(new Cindex(node, index));
      case Switch s -> s.at(index.t()).dependencies(index, sink);
      default -> {
        Index inside = inside(index);
        for (Descriptor child : children()) {
          child.dependencies(inside, sink);
        }
      }
    }
  }

  /** Where what is inside is read, for the row at {@code index}. */
  default Index inside(Index index) {
    return switch (this) {
      case Offset(var inner, int t, int x) -> index.at(index.t() + t, index.x() + x);
      case Round(var inner, int modulus) ->
          index.at(index.t() - Math.floorMod(index.t(), modulus), index.x());
      case ReplaceIndex(var inner, var variable, int value) ->
          variable == ReplaceIndex.Variable.T
              ? index.at(value, index.x())
              : index.at(index.t(), value);
      default -> index;
    };
  }

  /** Whether the row at {@code index} can be computed from those rows that are available. */
  default boolean isComputable(Index index, Predicate<Cindex> available) {
    return switch (this) {
      case Source(int node, String name) -> available.test(new Cindex(node, index));
      case Const c -> true;
      case IfDefined i -> true;
      case Switch s -> s.at(index.t()).isComputable(index, available);
      case Failover(var first, var second) ->
          first.isComputable(index, available) || second.isComputable(index, available);
      default -> {
        Index inside = inside(index);
        for (Descriptor child : children()) {
          if (!child.isComputable(inside, available)) {
            yield false;
          }
        }
        yield true;
      }
    };
  }

  /**
   * Passes the rows that the row at {@code index} does read, from left to right, to {@code sink},
   * given those that are available. Meant for rows that are computable.
   */
  default void used(Index index, Predicate<Cindex> available, Consumer<Cindex> sink) {
    switch (this) {
      case Source(int node, String name) -> sink.accept(new Cindex(node, index));
      case Switch s -> s.at(index.t()).used(index, available, sink);
      case IfDefined(var inner) -> {
        if (inner.isComputable(index, available)) {
          inner.used(index, available, sink);
        }
      }
      case Failover(var first, var second) -> {
        Descriptor taken = first.isComputable(index, available) ? first : second;
        taken.used(index, available, sink);
      }
      default -> {
        Index inside = inside(index);
        for (Descriptor child : children()) {
          child.used(inside, available, sink);
        }
      }
    }
  }
}
