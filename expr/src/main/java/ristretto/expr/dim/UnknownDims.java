package ristretto.expr.dim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import ristretto.kernels.ShapeException;

/**
 * Unknown dimensions of the expressions that one thread builds, and arithmetic of dimensions that
 * may be unknown. Shapes are made of {@code long}s: a known dimension is itself, and each unknown
 * {@link Dim} has a handle, a number far below all others. Handles are names, not values: the
 * operations of expressions compute with the polynomials that handles stand for. Known dimensions
 * cost one comparison.
 *
 * <p>Java code that computes with dimensions sees the handles. {@link #of} finds the polynomial of
 * the usual sums, products and quotients of handles; {@link #wasRead} tells that Java code may have
 * done something else, such as a comparison.
 */
public final class UnknownDims {
  private static final ScopedValue<UnknownDims> CURRENT = ScopedValue.newInstance();
  private static final UnknownDims NONE = new UnknownDims();

  /** Limit of known dimensions while there are unknown ones, far above any memory. */
  private static final long LIMIT = 1L << 40;

  private static final Pattern HANDLE = Pattern.compile("-\\d{18,}");

  /** Largest whole number that Java code may have multiplied or divided a handle by. */
  private static final int FACTORS = 64;

  /** Limit and inverse precision of numbers that Java code may have multiplied a handle by. */
  private static final double DIGITS = 1e6;

  private final Map<Long, Dim> dims = new LinkedHashMap<>();
  private final Map<Dim, Long> handles = new HashMap<>();
  private final Map<Dim.Atom.Symbol, Dim> solved;
  private final boolean solves;
  private boolean read;
  private int symbols;

  /** Creates a scope whose symbols are all different. */
  public UnknownDims() {
    this(false, new LinkedHashMap<>());
  }

  private UnknownDims(boolean solves, Map<Dim.Atom.Symbol, Dim> solved) {
    this.solves = solves;
    this.solved = solved;
  }

  /** Thrown where two dimensions must be equal; the next attempt takes them for equal. */
  private static final class Solved extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient Map.Entry<Dim.Atom.Symbol, Dim> equation;

    Solved(Map.Entry<Dim.Atom.Symbol, Dim> equation) {
      super(null, null, false, false);
      this.equation = equation;
    }
  }

  /**
   * Returns a result in which symbols that must have equal values are equal: computes it again when
   * two symbols turn out to be.
   */
  public static <R> R solve(Supplier<R> result) {
    var solved = new LinkedHashMap<Dim.Atom.Symbol, Dim>();
    while (true) {
      try {
        return new UnknownDims(true, solved).call(result);
      } catch (Solved next) {
        solved.put(next.equation.getKey(), next.equation.getValue());
      }
    }
  }

  /** Calls a function whose expressions may have the unknown dimensions of this scope. */
  public <R> R call(Supplier<R> function) {
    return ScopedValue.where(CURRENT, this).call(function::get);
  }

  /** Calls a function whose expressions have known dimensions only. */
  public static <R> R callKnown(Supplier<R> function) {
    return NONE.call(function);
  }

  /** Returns the scope of the current thread. */
  public static UnknownDims current() {
    return CURRENT.orElse(NONE);
  }

  /** Returns the handle of a new unknown dimension, or of the dimension that it must equal. */
  public long symbol() {
    var symbol = new Dim.Atom.Symbol(symbols++);
    return handle(solves ? solved(Dim.of(symbol)) : Dim.of(symbol));
  }

  private Dim solved(Dim dim) {
    Dim result = dim;
    for (Dim.Atom.Symbol s : dim.symbols()) {
      Dim value = solved.get(s);
      result = value == null ? result : solved(value);
    }
    return result;
  }

  private long handle(Dim dim) {
    OptionalLong known = dim.known();
    if (known.isPresent()) {
      return known.getAsLong();
    }
    return handles.computeIfAbsent(
        dim,
        _ -> {
          // odd and scattered, so that sums and products of handles are no handles
          long scattered = (dims.size() + 1) * 0x9E3779B97F4A7C15L;
          long handle = -(1L << 61) - (scattered >>> 4) | 1;
          dims.put(handle, dim);
          return handle;
        });
  }

  // Handles

  /** Returns true unless a number is a handle, or may be computed from handles. */
  public static boolean isKnown(long dim) {
    return -LIMIT < dim && dim < LIMIT || current().dims.isEmpty();
  }

  /** Notes that Java code other than that of the operations sees a dimension. */
  public static long read(long dim) {
    if (!isKnown(dim)) {
      current().read = true;
    }
    return dim;
  }

  /** Returns a message with question marks in place of handles. */
  public static String printed(String message) {
    return HANDLE.matcher(message).replaceAll("?");
  }

  /** Returns true if Java code has seen an unknown dimension, and may have computed with it. */
  public boolean wasRead() {
    return read;
  }

  /** Forgets that Java code has seen an unknown dimension. */
  public void clearRead() {
    read = false;
  }

  /**
   * Returns the dimension that a number stands for.
   *
   * @throws ShapeException if Java code has computed the number from an unknown dimension by other
   *     means than sums, products and quotients
   */
  public static Dim of(long number) {
    return isKnown(number)
        ? Dim.of(number)
        : find(number)
            .orElseThrow(() ->
                new ShapeException(
                    ("[shape] a formula must compute extents from unknown extents by +, -, * and /"
                            + " only; got %s; use -1 in reshape and expand.")
                        .formatted(number)));
  }

  /** Returns the unknown dimension that a number stands for; empty if it stands for itself. */
  public static Optional<Dim> find(long number) {
    if (isKnown(number) || number > Long.MAX_VALUE - LIMIT || number < Long.MIN_VALUE + LIMIT) {
      return Optional.empty();
    }
    UnknownDims all = current();
    return Optional.ofNullable(all.dims.get(number)).or(() -> all.computed(number));
  }

  /** Finds the Java arithmetic on handles that yields a number, modulo 2^64. */
  private Optional<Dim> computed(long number) {
    List<Long> all = List.copyOf(dims.keySet());
    var candidates = new ArrayList<Map.Entry<Long, Dim>>();
    for (long a : all) {
      Dim first = dims.get(a);
      for (int k = 1; k <= FACTORS; k++) {
        candidates.add(Map.entry(a * k, first.times(Dim.of(k))));
        candidates.add(Map.entry(a / k, first.floor(k)));
      }
      for (long b : all) {
        candidates.add(Map.entry(a - b, first.minus(dims.get(b))));
        candidates.add(Map.entry(a + b, first.plus(dims.get(b))));
        for (int k = 1; k <= FACTORS; k++) {
          candidates.add(Map.entry(a * b * k, first.times(dims.get(b)).times(Dim.of(k))));
        }
      }
    }
    for (var candidate : candidates) {
      long rest = number - candidate.getKey();
      if (-LIMIT < rest && rest < LIMIT) {
        read = true;
        return Optional.of(candidate.getValue().plus(Dim.of(rest)));
      }
    }
    return Optional.empty();
  }

  /**
   * Multiple of a dimension, or of its inverse.
   *
   * @param inverse true for {@code factor / dim}
   */
  public record Scaled(double factor, Dim dim, boolean inverse) {
    /** Returns the value for given values of the symbols. */
    public double at(ToLongFunction<Dim.Atom.Symbol> values) {
      return inverse ? factor / dim.at(values) : factor * dim.at(values);
    }
  }

  /**
   * Finds the dimension of which Java code has computed a multiple or a quotient by a number of few
   * digits; empty if the number has nothing to do with unknown dimensions.
   */
  public Optional<Scaled> scaled(double number) {
    for (var entry : dims.entrySet()) {
      double handle = entry.getKey();
      if (isShort(number / handle)) {
        return Optional.of(new Scaled(rounded(number / handle), entry.getValue(), false));
      }
      if (isShort(number * handle)) {
        return Optional.of(new Scaled(rounded(number * handle), entry.getValue(), true));
      }
    }
    return Optional.empty();
  }

  private static double rounded(double factor) {
    return Math.rint(factor * DIGITS) / DIGITS;
  }

  private static boolean isShort(double factor) {
    return Math.abs(factor) >= 1 / DIGITS
        && Math.abs(factor) < DIGITS
        && Math.abs(factor - rounded(factor)) <= 1e-12 * Math.abs(factor);
  }

  /** Returns dimensions in which numbers that Java code has computed are replaced by handles. */
  public static long[] canonical(long... dims) {
    long[] all = dims;
    for (int d = 0; d < dims.length; d++) {
      if (!isKnown(dims[d])) {
        all = all == dims ? dims.clone() : all;
        all[d] = current().handle(of(dims[d]));
      }
    }
    return all;
  }

  // Arithmetic

  private static long apply(BinaryOperator<Dim> f, long a, long b) {
    try {
      return current().handle(f.apply(of(a), of(b)));
    } catch (ArithmeticException e) {
      throw new ShapeException("[shape] the number of elements must fit in 63 bits", e);
    }
  }

  private static boolean areKnown(long a, long b) {
    return isKnown(a) && isKnown(b);
  }

  /** Returns {@code a + b}. */
  public static long plus(long a, long b) {
    return areKnown(a, b) ? a + b : apply(Dim::plus, a, b);
  }

  /** Returns {@code a - b}. */
  public static long minus(long a, long b) {
    return areKnown(a, b) ? a - b : apply(Dim::minus, a, b);
  }

  /** Returns {@code a * b}. */
  public static long times(long a, long b) {
    return areKnown(a, b) ? a * b : apply(Dim::times, a, b);
  }

  /** Returns {@code a / b}, which is an integer. */
  public static long over(long a, long b) {
    return areKnown(a, b) ? a / b : apply(Dim::over, a, b);
  }

  /** Returns {@code a / by}, rounded down. */
  public static long floor(long a, long by) {
    return isKnown(a) ? Math.floorDiv(a, by) : apply((dim, _) -> dim.floor(by), a, 0);
  }

  /** Returns {@code max(a, 0)}. */
  public static long positive(long a) {
    return isKnown(a) ? Math.max(a, 0) : apply((dim, _) -> dim.positive(), a, 0);
  }

  /** Returns the smaller number. */
  public static long min(long a, long b) {
    return areKnown(a, b) ? Math.min(a, b) : apply(Dim::min, a, b);
  }

  /** Returns true unless two dimensions differ for all values of the unknown ones. */
  public static boolean canEqual(long a, long b) {
    return a == b || !areKnown(a, b) && of(a).canEqual(of(b));
  }

  /** Returns the common value of two dimensions that must be equal. */
  public static long equal(long a, long b) {
    if (a != b && !areKnown(a, b)) {
      current().solve(of(a).minus(of(b)));
    }
    return isKnown(a) ? a : b;
  }

  private void solve(Dim zero) {
    Optional<Map.Entry<Dim.Atom.Symbol, Dim>> equation = zero.solved();
    if (solves && equation.isPresent()) {
      throw new Solved(equation.get());
    }
    equation.ifPresent(e -> solved.putIfAbsent(e.getKey(), e.getValue()));
  }

  /** Returns values of symbols that satisfy the equations found so far, from wanted values. */
  public long value(Dim.Atom.Symbol symbol, LongUnaryOperator wanted) {
    Dim value = solved.get(symbol);
    return value == null ? wanted.applyAsLong(symbol.number()) : value.at(s -> value(s, wanted));
  }

  /** Returns true unless two dimensions cannot be broadcast for any value of the unknown ones. */
  public static boolean canBroadcast(long a, long b) {
    return a == 1 || b == 1 || canEqual(a, b) || canEqual(a, 1) || canEqual(b, 1);
  }

  /** Returns the broadcast of two dimensions. */
  public static long broadcast(long a, long b) {
    if (a == b || b == 1 || a == 1) {
      return a == 1 ? b : a;
    }
    if (isKnown(a) || isKnown(b)) {
      return isKnown(a) ? a : b;
    }
    current().solve(of(a).minus(of(b)));
    return apply((x, y) -> Dim.of(new Dim.Atom.Broadcast(x, y)), a, b);
  }
}
