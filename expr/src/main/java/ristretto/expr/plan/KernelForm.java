package ristretto.expr.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/**
 * Kernel without the places of its operands: each operand has an argument of its own and offset 0,
 * each launch scalar an argument of its own. Kernels of one form, such as those of the iterations
 * of a loop, are prepared once.
 */
public final class KernelForm {
  private final Kernel kernel;
  private int[] arguments = new int[6];
  private long[] offsets = new long[6];

  /** Elements by which each operand advances per iteration of a loop. */
  private long[] motions = new long[6];

  private int[] bytes = new int[6];
  private int[] scalars = new int[2];
  private int memories;
  private int numbers;

  /**
   * Result of a traversal of a kernel: the form, a kernel with the form's arguments, or a kernel
   * with its own arguments.
   */
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
    motions = Arrays.copyOf(motions, memories);
    bytes = Arrays.copyOf(bytes, memories);
    scalars = Arrays.copyOf(scalars, numbers);
  }

  private KernelForm(KernelForm like, long[] offsets) {
    this.kernel = like.kernel;
    this.arguments = like.arguments;
    this.offsets = offsets;
    this.motions = like.motions;
    this.bytes = like.bytes;
    this.scalars = like.scalars;
    this.memories = like.memories;
    this.numbers = like.numbers;
  }

  /** Form of a kernel; empty for kinds that do not occur many times in a plan. */
  public static Optional<KernelForm> of(Kernel kernel) {
    return switch (kernel) {
      case Kernel.Map _, Kernel.Row _, Kernel.Gemm _ -> Optional.of(new KernelForm(kernel));
      default -> Optional.empty();
    };
  }

  /** Common part of all kernels of one form; it includes the name, which hashes well. */
  public record Key(Kernel kernel) {
    @Override
    public int hashCode() {
      return 31 * kernel.name().hashCode() + kernel.space().hashCode();
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Key other && kernel.equals(other.kernel);
    }
  }

  public Key key() {
    return new Key(kernel);
  }

  /** Kernel with the arguments of the form and the offsets of this kernel. */
  public Kernel inPlace() {
    return made(To.PLACED);
  }

  /** Kernel with its own arguments and offsets. */
  public Kernel kernel() {
    return made(To.OWN);
  }

  private Kernel made(To what) {
    var own = new KernelForm(this, offsets);
    own.to = what;
    return own.placed(kernel);
  }

  /** Returns the kernel of an iteration of the loop whose first iteration has this kernel. */
  public KernelForm at(int iteration) {
    long[] all = new long[memories];
    for (int k = 0; k < memories; k++) {
      all[k] = offsets[k] + iteration * motions[k];
    }
    return new KernelForm(this, all);
  }

  /** Returns true if the predicate holds for the offset of each operand. */
  public boolean offsets(LongPredicate holds) {
    return Arrays.stream(offsets).allMatch(holds);
  }

  /** Maps arguments of the form to arguments of the kernel. */
  public int[] arguments() {
    return arguments;
  }

  /** Maps launch scalars of the form to launch scalars of the kernel. */
  public int[] scalars() {
    return scalars;
  }

  /**
   * Distances in bytes of the operands from the operands of another kernel of the form.
   *
   * @param size of each offset
   */
  public long[] from(KernelForm other, LongUnaryOperator size) {
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
      motions = Arrays.copyOf(motions, 2 * memories);
      bytes = Arrays.copyOf(bytes, 2 * memories);
    }
    arguments[memories] = buffer;
    offsets[memories] = map.offset();
    motions[memories] = map.motion();
    bytes[memories] = size;
    return memories++;
  }
}
