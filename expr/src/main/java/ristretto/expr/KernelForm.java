package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/**
 * A kernel apart from where its operands lie: each of them has an argument of its own, and offset
 * 0, and each launch scalar has its own. Kernels of one form, such as those of the steps of a
 * recurrence, are prepared once.
 */
final class KernelForm {
  private final Kernel kernel;
  private int[] arguments = new int[6];
  private long[] offsets = new long[6];
  private int[] bytes = new int[6];
  private int[] scalars = new int[2];
  private int memories;
  private int numbers;

  private KernelForm(Kernel of) {
    kernel = placed(of, null);
    arguments = Arrays.copyOf(arguments, memories);
    offsets = Arrays.copyOf(offsets, memories);
    bytes = Arrays.copyOf(bytes, memories);
    scalars = Arrays.copyOf(scalars, numbers);
  }

  /** The form of a kernel, if it is of a kind that there are many of. */
  static Optional<KernelForm> of(Kernel kernel) {
    return switch (kernel) {
      case Kernel.Map _, Kernel.Row _, Kernel.Gemm _ -> Optional.of(new KernelForm(kernel));
      default -> Optional.empty();
    };
  }

  /** What kernels of one form have in common; names are part of it and make good hashes. */
  record Key(Kernel kernel) {
    @Override
    public int hashCode() {
      return 31 * kernel.name().hashCode() + kernel.space().hashCode();
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Key other && kernel.equals(other.kernel);
    }
  }

  Key key() {
    return new Key(kernel);
  }

  /** The kernel with the arguments of the form, and offsets as this one has them. */
  Kernel inPlace() {
    int[] next = {0};
    return placed(kernel, next);
  }

  /** Which argument of the kernel is each one of the form. */
  int[] arguments() {
    return arguments;
  }

  /** Which launch scalar of the kernel is each one of the form. */
  int[] scalars() {
    return scalars;
  }

  /**
   * How many bytes further on the operands are than those of another kernel of the form.
   *
   * @param size of each offset
   */
  long[] from(KernelForm other, LongUnaryOperator size) {
    long[] all = new long[memories];
    for (int k = 0; k < memories; k++) {
      all[k] =
          offsets[k] == other.offsets[k]
              ? 0
              : (size.applyAsLong(offsets[k]) - size.applyAsLong(other.offsets[k])) * bytes[k];
    }
    return all;
  }

  /**
   * @param next null to note where operands are, and put them at 0; else they are put back
   */
  private Kernel placed(Kernel of, int[] next) {
    return switch (of) {
      case Kernel.Map k ->
          new Kernel.Map(
              k.name(), k.extents(), k.tape(), operands(k.inputs(), next), all(k.stores(), next));
      case Kernel.Row k -> {
        var inputs = operands(k.inputs(), next);
        var stores = new Kernel.Store[k.stores().size()];
        for (int s = 0; s < stores.length; s++) {
          Kernel.Store store = k.stores().get(s);
          stores[s] =
              new Kernel.Store(store.output(), memory(store.target(), next), store.perRow());
        }
        yield new Kernel.Row(
            k.name(), k.extents(), k.kept(), k.tape(), inputs, k.reductions(), List.of(stores));
      }
      case Kernel.Gemm k ->
          new Kernel.Gemm(
              k.name(),
              k.type(),
              k.batch(),
              k.m(),
              k.n(),
              k.k(),
              memory(k.a(), next),
              memory(k.b(), next),
              memory(k.c(), next),
              k.alpha(),
              k.scale().map(v -> value(v, next)),
              k.beta());
      default -> throw new IllegalArgumentException(of.kind());
    };
  }

  private List<Operand> operands(List<Operand> all, int[] next) {
    var result = new Operand[all.size()];
    for (int k = 0; k < result.length; k++) {
      result[k] =
          switch (all.get(k)) {
            case Operand.Memory m -> memory(m, next);
            case Operand.Value v -> value(v, next);
            case Operand.Index i -> i;
          };
    }
    return List.of(result);
  }

  private List<Operand.Memory> all(List<Operand.Memory> all, int[] next) {
    var result = new Operand.Memory[all.size()];
    for (int k = 0; k < result.length; k++) {
      result[k] = memory(all.get(k), next);
    }
    return List.of(result);
  }

  private Operand.Value value(Operand.Value v, int[] next) {
    if (next != null) {
      return v;
    }
    if (numbers == scalars.length) {
      scalars = Arrays.copyOf(scalars, 2 * numbers);
    }
    scalars[numbers] = v.argument();
    return new Operand.Value(v.type(), numbers++);
  }

  private Operand.Memory memory(Operand.Memory m, int[] next) {
    int argument = next == null ? note(m.buffer(), m.map(), m.storage().bytes()) : next[0]++;
    Affine map = new Affine(next == null ? 0 : offsets[argument], m.map().strides());
    Optional<Operand.Gather> gather = m.gather();
    if (gather.isPresent()) {
      Operand.Gather g = gather.get();
      int index = next == null ? note(g.buffer(), g.map(), g.storage().bytes()) : next[0]++;
      Affine at = new Affine(next == null ? 0 : offsets[index], g.map().strides());
      gather = Optional.of(new Operand.Gather(g.storage(), index, at, g.stride(), g.extent()));
    }
    return new Operand.Memory(m.storage(), argument, map, gather, m.bounds());
  }

  private int note(int buffer, Affine map, int size) {
    if (memories == arguments.length) {
      arguments = Arrays.copyOf(arguments, 2 * memories);
      offsets = Arrays.copyOf(offsets, 2 * memories);
      bytes = Arrays.copyOf(bytes, 2 * memories);
    }
    arguments[memories] = buffer;
    offsets[memories] = map.offset();
    bytes[memories] = size;
    return memories++;
  }
}
