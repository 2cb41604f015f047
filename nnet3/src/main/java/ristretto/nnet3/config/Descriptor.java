package ristretto.nnet3.config;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Index;

/**
 * Expression that gathers the input rows of a node: it maps each requested row to source rows. A
 * network keeps descriptors in Kaldi's normal form ({@link #normal}): {@link Append} outermost,
 * then {@link Sum} of two, {@link Failover}, {@link IfDefined} and {@link Const}, then {@link
 * Offset}, {@link Switch}, {@link Round} and {@link ReplaceIndex}, then {@link Scale}, then {@link
 * Source}. A descriptor without such a form keeps its nesting; its meaning is the same.
 *
 * <p>{@code toString} returns the text that Kaldi prints.
 */
public sealed interface Descriptor {
  /** Row of a node. */
  record Source(int node, String name) implements Descriptor {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Concatenation of the columns of all parts. */
  record Append(List<Descriptor> parts) implements Descriptor {
    /** Copies the parts, of which there is at least one. */
    public Append {
      parts = List.copyOf(parts);
    }

    @Override
    public String toString() {
      return DescriptorText.call("Append", parts);
    }
  }

  /** Sum of its terms; computable if all terms are. */
  record Sum(List<Descriptor> terms) implements Descriptor {
    /** Copies the terms, of which there is at least one. */
    public Sum {
      terms = List.copyOf(terms);
    }

    @Override
    public String toString() {
      return DescriptorText.call("Sum", terms);
    }
  }

  /** First operand if it is computable, else the second. */
  record Failover(Descriptor first, Descriptor second) implements Descriptor {
    @Override
    public String toString() {
      return DescriptorText.call("Failover", List.of(first, second));
    }
  }

  /** Inner descriptor if it is computable, else zeros. */
  record IfDefined(Descriptor inner) implements Descriptor {
    @Override
    public String toString() {
      return DescriptorText.call("IfDefined", List.of(inner));
    }
  }

  /** Row at t + {@code t} and x + {@code x}. */
  record Offset(Descriptor inner, int t, int x) implements Descriptor {
    @Override
    public String toString() {
      return "Offset(" + inner + ", " + t + (x == 0 ? "" : ", " + x) + ")";
    }
  }

  /** Case number floorMod(t, k) of k cases. */
  record Switch(List<Descriptor> cases) implements Descriptor {
    /** Copies the cases, of which there is at least one. */
    public Switch {
      cases = List.copyOf(cases);
    }

    /** Returns the case for time {@code t}. */
    public Descriptor at(int t) {
      return cases.get(Math.floorMod(t, cases.size()));
    }

    @Override
    public String toString() {
      return DescriptorText.call("Switch", cases);
    }
  }

  /** Row at the largest multiple of {@code modulus} that is not above t. */
  record Round(Descriptor inner, int modulus) implements Descriptor {
    @Override
    public String toString() {
      return "Round(" + inner + ", " + modulus + ")";
    }
  }

  /** Row at t = {@code value}, or at x = {@code value}. */
  record ReplaceIndex(Descriptor inner, Variable variable, int value) implements Descriptor {
    /** Index variable to replace. */
    public enum Variable {
      /** Time t. */
      T,
      /** Coordinate x. */
      X
    }

    @Override
    public String toString() {
      return "ReplaceIndex(" + inner + (variable == Variable.T ? ", t, " : ", x, ") + value + ")";
    }
  }

  /** Inner descriptor multiplied by {@code factor}. */
  record Scale(float factor, Descriptor inner) implements Descriptor {
    @Override
    public String toString() {
      return "Scale(" + DescriptorText.number(factor) + ", " + inner + ")";
    }
  }

  /** Constant {@code value} in {@code dim} columns of each row. */
  record Const(float value, int dim) implements Descriptor {
    @Override
    public String toString() {
      return "Const(" + DescriptorText.number(value) + ", " + dim + ")";
    }
  }

  /**
   * Parses a descriptor and brings it into normal form. The number of a node is its position in
   * {@code names}; entries of nodes that descriptors cannot read are null.
   *
   * @throws ConfigException if {@code text} is no descriptor
   */
  static Descriptor parse(String text, List<String> names) {
    ConfigLine line = ConfigLine.of("descriptor", "input='" + text + "'");
    return new DescriptorParser(line, "input", names).parse().normal();
  }

  /** Returns this descriptor in Kaldi's normal form, as far as it has one. */
  default Descriptor normal() {
    return NormalizeDescriptor.apply(this);
  }

  /** Returns the operands. */
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

  /** Returns the parts of an Append, or a list of this descriptor alone. */
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

  /** Returns this descriptor with each occurrence of a node replaced. */
  default Descriptor mapSources(UnaryOperator<Source> f) {
    return this instanceof Source s
        ? f.apply(s)
        : NormalizeDescriptor.mapChildren(this, child -> child.mapSources(f));
  }

  /**
   * Returns the number of columns, given the number of columns of each node.
   *
   * @throws DimException if operands that must have equal dimensions differ
   */
  default int dim(IntUnaryOperator nodeDim) {
    return switch (this) {
      case Source(int node, String name) -> nodeDim.applyAsInt(node);
      case Const(float value, int dim) -> dim;
      case Append(var parts) -> parts.stream().mapToInt(p -> p.dim(nodeDim)).sum();
      case Sum _, Failover _, IfDefined _, Offset _, Switch _, Round _, ReplaceIndex _, Scale _ ->
          DimException.equalDims(this, nodeDim);
    };
  }

  /**
   * Returns an integer m such that the rows read do not change when all times shift by m: 1 unless
   * the descriptor has a Switch or a Round.
   */
  default int modulus() {
    return switch (this) {
      // The inner descriptor is evaluated at multiples of the modulus only.
      case Round(var inner, int modulus) -> modulus;
      case ReplaceIndex r -> 1;
      case Switch(var cases) -> leastCommon(cases, cases.size());
      case Source _, Append _, Sum _, Failover _, IfDefined _, Offset _, Scale _, Const _ ->
          leastCommon(children(), 1);
    };
  }

  private static int leastCommon(List<Descriptor> all, int start) {
    int least = start;
    for (Descriptor d : all) {
      least = Math.toIntExact(lcm(least, d.modulus()));
    }
    return least;
  }

  /** Returns the least common multiple of two numbers of at least 1. */
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
   * Passes every row that the row at {@code index} may depend on, from left to right, to {@code
   * sink}.
   */
  default void dependencies(Index index, Consumer<Cindex> sink) {
    switch (this) {
      case Source(int node, String name) -> sink.accept(new Cindex(node, index));
      case Switch s -> s.at(index.t()).dependencies(index, sink);
      case Append _,
          Sum _,
          Failover _,
          IfDefined _,
          Offset _,
          Round _,
          ReplaceIndex _,
          Scale _,
          Const _ -> {
        Index inside = inside(index);
        for (Descriptor child : children()) {
          child.dependencies(inside, sink);
        }
      }
    }
  }

  /** Returns the index at which operands are evaluated for the row at {@code index}. */
  default Index inside(Index index) {
    return switch (this) {
      case Offset(var inner, int t, int x) -> index.at(index.t() + t, index.x() + x);
      case Round(var inner, int modulus) ->
          index.at(index.t() - Math.floorMod(index.t(), modulus), index.x());
      case ReplaceIndex(var inner, var variable, int value) ->
          variable == ReplaceIndex.Variable.T
              ? index.at(value, index.x())
              : index.at(index.t(), value);
      case Source _, Append _, Sum _, Failover _, IfDefined _, Switch _, Scale _, Const _ -> index;
    };
  }

  /** Returns true if the row at {@code index} can be computed from the available rows. */
  default boolean isComputable(Index index, Predicate<Cindex> available) {
    return switch (this) {
      case Source(int node, String name) -> available.test(new Cindex(node, index));
      case Const c -> true;
      case IfDefined i -> true;
      case Switch s -> s.at(index.t()).isComputable(index, available);
      case Failover(var first, var second) ->
          first.isComputable(index, available) || second.isComputable(index, available);
      case Append _, Sum _, Offset _, Round _, ReplaceIndex _, Scale _ -> {
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
   * Passes the rows that the computable row at {@code index} reads, given the available rows, from
   * left to right, to {@code sink}.
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
      case Append _, Sum _, Offset _, Round _, ReplaceIndex _, Scale _, Const _ -> {
        Index inside = inside(index);
        for (Descriptor child : children()) {
          child.used(inside, available, sink);
        }
      }
    }
  }
}
