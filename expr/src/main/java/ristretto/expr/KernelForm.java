package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
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

  /** What is made of a kernel: its form, a kernel with the form's arguments, or with its own. */
  private enum To {
    FORM,
    PLACED,
    OWN
  }

  private To to = To.FORM;
  private int next;

  private KernelForm(Kernel of) {
    kernel = placed(of);
    arguments = Arrays.copyOf(arguments, memories);
    offsets = Arrays.copyOf(offsets, memories);
    bytes = Arrays.copyOf(bytes, memories);
    scalars = Arrays.copyOf(scalars, numbers);
  }

  private KernelForm(KernelForm like, long[] offsets) {
    this.kernel = like.kernel;
    this.arguments = like.arguments;
    this.offsets = offsets;
    this.bytes = like.bytes;
    this.scalars = like.scalars;
    this.memories = like.memories;
    this.numbers = like.numbers;
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
    return made(To.PLACED);
  }

  /** The kernel with its own arguments, and offsets as this one has them. */
  Kernel kernel() {
    return made(To.OWN);
  }

  private Kernel made(To what) {
    var own = new KernelForm(this, offsets);
    own.to = what;
    return own.placed(kernel);
  }

  /** How many elements further on operands of another kernel of the form are. */
  long[] distances(KernelForm other) {
    long[] all = new long[memories];
    for (int k = 0; k < memories; k++) {
      all[k] = other.offsets[k] - offsets[k];
    }
    return all;
  }

  /** The same kernel with operands that many elements further on, so many times. */
  KernelForm moved(long[] further, int times) {
    long[] all = new long[memories];
    for (int k = 0; k < memories; k++) {
      all[k] = offsets[k] + times * further[k];
    }
    return new KernelForm(this, all);
  }

  /** Whether that holds for the offset of each operand. */
  boolean offsets(LongPredicate holds) {
    return Arrays.stream(offsets).allMatch(holds);
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

  private Kernel placed(Kernel of) {
    return switch (of) {
      case Kernel.Map k ->
          new Kernel.Map(k.name(), k.extents(), k.tape(), operands(k.inputs()), all(k.stores()));
      case Kernel.Row k -> {
        var inputs = operands(k.inputs());
        var stores = new Kernel.Store[k.stores().size()];
        for (int s = 0; s < stores.length; s++) {
          Kernel.Store store = k.stores().get(s);
          stores[s] = new Kernel.Store(store.output(), memory(store.target()), store.perRow());
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
              memory(k.a()),
              memory(k.b()),
              memory(k.c()),
              k.alpha(),
              k.scale().map(v -> value(v)),
              k.beta());
      default -> throw new IllegalArgumentException(of.kind());
    };
  }

  private List<Operand> operands(List<Operand> all) {
    var result = new Operand[all.size()];
    for (int k = 0; k < result.length; k++) {
      result[k] =
          switch (all.get(k)) {
            case Operand.Memory m -> memory(m);
            case Operand.Value v -> value(v);
            case Operand.Index i -> i;
          };
    }
    return List.of(result);
  }

  private List<Operand.Memory> all(List<Operand.Memory> all) {
    var result = new Operand.Memory[all.size()];
    for (int k = 0; k < result.length; k++) {
      result[k] = memory(all.get(k));
    }
    return List.of(result);
  }

  private Operand.Value value(Operand.Value v) {
    if (to != To.FORM) {
      return to == To.OWN ? new Operand.Value(v.type(), scalars[v.argument()]) : v;
    }
    if (numbers == scalars.length) {
      scalars = Arrays.copyOf(scalars, 2 * numbers);
    }
    scalars[numbers] = v.argument();
    return new Operand.Value(v.type(), numbers++);
  }

  private Operand.Memory memory(Operand.Memory m) {
    int argument = place(m.buffer(), m.map(), m.storage().bytes());
    Affine map = new Affine(offset(argument), m.map().strides());
    Optional<Operand.Gather> gather = m.gather();
    if (gather.isPresent()) {
      Operand.Gather g = gather.get();
      int index = place(g.buffer(), g.map(), g.storage().bytes());
      Affine at = new Affine(offset(index), g.map().strides());
      gather =
          Optional.of(new Operand.Gather(g.storage(), argument(index), at, g.stride(), g.extent()));
    }
    return new Operand.Memory(m.storage(), argument(argument), map, gather, m.bounds());
  }

  private int place(int buffer, Affine map, int size) {
    return to == To.FORM ? note(buffer, map, size) : next++;
  }

  private long offset(int place) {
    return to == To.FORM ? 0 : offsets[place];
  }

  private int argument(int place) {
    return to == To.OWN ? arguments[place] : place;
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
