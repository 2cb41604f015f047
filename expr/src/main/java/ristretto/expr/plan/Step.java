package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import ristretto.expr.graph.BarrierWork.HostWork;
import ristretto.expr.graph.StorageView;
import ristretto.expr.recording.Update;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/**
 * Step of a {@link Schedule}. Planning begins with {@link Assign} steps; {@link Elementwise} and
 * {@link Columns} steps execute several assignments with one kernel; lowering leaves {@link
 * KernelStep}, {@link HostStep} and {@link Materialize} steps, and {@link Loop}s of them.
 */
public sealed interface Step {
  /** Printable description: the target and what is computed. */
  String what();

  /** Step that can be executed. */
  sealed interface Lowered extends Step {}

  /** Name of the kind, for printed schedules. */
  default String kind() {
    return switch (this) {
      case Assign _ -> "assign";
      case Elementwise _ -> "element-wise";
      case Columns _ -> "columns";
      case Loop _ -> "loop";
      case Materialize _ -> "materialize";
      case KernelStep k -> k.name();
      case HostStep _ -> "host";
    };
  }

  /** Assignments that the step executes, in order; empty once they are lowered. */
  default List<Assign> assignments() {
    return switch (this) {
      case Assign a -> List.of(a);
      case Elementwise e -> e.kernel().members();
      case Columns c -> c.members();
      case Loop l -> l.body().stream().flatMap(s -> s.assignments().stream()).toList();
      case Materialize _, KernelStep _, HostStep _ -> List.of();
    };
  }

  /**
   * Assignment that is not lowered yet.
   *
   * @param pairs targets of one shape with their expressions, which see the old values
   * @param number number of the recorded assignment
   * @param round number of the loop iteration that it belongs to; 0 outside of loops
   * @param fresh true if the recording made the target, so that nothing else defines its elements
   * @param isPart true if it writes a part of what the recorded assignment writes
   */
  record Assign(List<Update> pairs, int number, int round, boolean fresh, boolean isPart)
      implements Step {
    public Assign {
      pairs = List.copyOf(pairs);
    }

    @Override
    public String what() {
      return pairs.stream()
          .map(p -> p.target().label() + " = " + p.expr().name())
          .collect(Collectors.joining(", "));
    }
  }

  /** Element-wise assignments of one shape, executed by one map kernel. */
  record Elementwise(ElementwiseKernel kernel) implements Step {
    @Override
    public String what() {
      return kernel.what();
    }
  }

  /** Assignments over the same elements and of their column sums, executed by one row kernel. */
  record Columns(List<Assign> members, Kernel.Row kernel) implements Step {
    public Columns {
      members = List.copyOf(members);
    }

    @Override
    public String what() {
      return members.stream().map(Assign::what).collect(Collectors.joining(", "));
    }
  }

  /**
   * Temporary that holds a value which the kernels after it read from memory; the kernels that
   * compute the value follow.
   *
   * @param what name of the temporary and its content, for people
   * @param reason reason for which the value is not fused into its reader
   */
  record Materialize(StorageView temporary, String what, Reason reason) implements Step {
    /** Sentence for explanations of a plan. */
    String note() {
      return what + ": " + reason;
    }
  }

  /**
   * Loop: runs its body several times. Operands are those of the first iteration; they advance by
   * the motion of their index maps. Memory that only the body accesses belongs to an iteration.
   *
   * @param times trip count
   * @param size number of recorded assignments of one iteration
   */
  record Loop(List<Step> body, int times, int size) implements Step {
    public Loop {
      body = List.copyOf(body);
    }

    Loop with(List<? extends Step> other) {
      return new Loop(List.copyOf(other), times, size);
    }

    @Override
    public String what() {
      return times + " times";
    }
  }

  /** Kernel, with the numbers of the recorded assignments that it executes, whole or in part. */
  final class KernelStep implements Lowered {
    private final String what;
    private final Motion motion;
    private Kernel kernel;
    private List<Integer> from;
    private Set<Integer> buffers;
    private Set<Integer> written;
    private Set<Integer> indices;

    public KernelStep(Kernel kernel, String what, List<Integer> from) {
      this.kernel = kernel;
      this.what = what;
      this.from = from;
      this.motion = null;
    }

    /** Kernel of another step with moved operands; created when it is needed. */
    public KernelStep(Motion motion) {
      this.motion = motion;
      this.what = motion.like.what;
    }

    public Kernel kernel() {
      if (kernel == null) {
        kernel = motion.moved().kernel();
      }
      return kernel;
    }

    public String name() {
      return motion == null ? kernel.name() : motion.like.name();
    }

    @Override
    public String what() {
      return what;
    }

    public List<Integer> from() {
      if (from == null) {
        from = motion.like.from.stream().map(k -> k + motion.later).toList();
      }
      return from;
    }

    /**
     * Arguments that the step accesses; for a later iteration without the temporaries of the body.
     */
    Set<Integer> buffers() {
      if (buffers == null) {
        buffers = motion == null ? Step.buffers(kernel) : motion.shared();
      }
      return buffers;
    }

    /** Arguments that the step writes; a moved kernel has those of the first iteration. */
    public Set<Integer> written() {
      if (written == null) {
        written = motion == null ? Step.written(kernel) : motion.like.written();
      }
      return written;
    }

    /** Arguments with indices that the step reads. */
    public Set<Integer> indices() {
      if (indices == null) {
        indices = motion == null ? Step.indices(kernel) : motion.like.indices();
      }
      return indices;
    }

    /** Returns the motion from the step that this one repeats; null if it repeats none. */
    public Motion motion() {
      return motion;
    }
  }

  /**
   * Kernel of a later iteration of a loop, by that of the first.
   *
   * @param like step of the first iteration
   * @param form form of its kernel
   * @param by number of iterations in between
   * @param later number of recorded assignments in between
   * @param shared arguments that the step accesses, without the temporaries of the body
   */
  record Motion(KernelStep like, KernelForm form, int by, int later, Set<Integer> shared) {
    public KernelForm moved() {
      return form.at(by);
    }
  }

  /**
   * Code of a user's operator that runs on the host.
   *
   * @param arguments numbers of the buffers that the code gets
   * @param targets number of the first buffers, which it writes
   * @param isBound true if the code accesses no other memory; false for code that accesses tensors
   *     of its plan, or assigns
   */
  record HostStep(String what, HostWork work, List<Integer> arguments, int targets, boolean isBound)
      implements Lowered {}

  /** Argument numbers of the buffers that a lowered step or a loop of such steps accesses. */
  static Set<Integer> buffers(Step step) {
    var all = new LinkedHashSet<Integer>();
    switch (step) {
      case KernelStep k -> all.addAll(k.buffers());
      case HostStep h -> all.addAll(h.arguments());
      case Loop loop -> loop.body().forEach(s -> all.addAll(buffers(s)));
      case Materialize _, Assign _, Elementwise _, Columns _ -> {}
    }
    return all;
  }

  /** Argument numbers of the buffers that a lowered step or a loop of such steps writes. */
  static Set<Integer> written(Step step) {
    var all = new LinkedHashSet<Integer>();
    switch (step) {
      case KernelStep k -> all.addAll(k.written());
      case HostStep h -> h.arguments().stream().limit(h.targets()).forEach(all::add);
      case Loop loop -> loop.body().forEach(s -> all.addAll(written(s)));
      case Materialize _, Assign _, Elementwise _, Columns _ -> {}
    }
    return all;
  }

  /** Access of a kernel to memory: the argument number of the buffer, and the index map. */
  record Reference(int buffer, Affine map) {}

  /** Accesses of operands, those of gathers to their indices among them. */
  static List<Reference> references(List<Operand> operands) {
    var all = new ArrayList<Reference>();
    for (Operand operand : operands) {
      if (operand instanceof Operand.Memory m) {
        all.add(new Reference(m.buffer(), m.map()));
        m.gather().ifPresent(g -> all.add(new Reference(g.buffer(), g.map())));
      }
    }
    return all;
  }

  /** Argument numbers of the buffers a kernel reads or writes. */
  static Set<Integer> buffers(Kernel kernel) {
    var all = new LinkedHashSet<Integer>();
    read(operands(kernel), all);
    return all;
  }

  /** Adds the argument numbers of the operands' buffers. */
  static void read(List<Operand> operands, Set<Integer> all) {
    references(operands).forEach(r -> all.add(r.buffer()));
  }

  /** Argument numbers of the buffers a kernel writes. */
  static Set<Integer> written(Kernel kernel) {
    var all = new LinkedHashSet<Integer>();
    switch (kernel) {
      case Kernel.Map k -> k.stores().forEach(s -> all.add(s.buffer()));
      case Kernel.Row k -> k.stores().forEach(s -> all.add(s.target().buffer()));
      case Kernel.Scan k -> all.add(k.target().buffer());
      case Kernel.Recurrence k -> k.targets().forEach(m -> all.add(m.buffer()));
      case Kernel.Scatter k -> all.add(k.target().buffer());
      case Kernel.Product k -> all.add(k.c().buffer());
      case Kernel.FusedGemm k ->
          k.after()
              .ifPresentOrElse(
                  map -> map.stores().forEach(s -> all.add(s.buffer())),
                  () -> all.add(k.gemm().c().buffer()));
      case Kernel.Sort k -> {
        k.values().ifPresent(m -> all.add(m.buffer()));
        k.indices().ifPresent(m -> all.add(m.buffer()));
      }
      case Kernel.Convolution k -> all.add(k.target().buffer());
      case Kernel.Fourier k -> all.add(k.toRe().buffer());
    }
    return all;
  }

  private static Set<Integer> indices(Kernel kernel) {
    var all = new LinkedHashSet<Integer>();
    for (Operand operand : operands(kernel)) {
      if (operand instanceof Operand.Memory m) {
        m.gather().ifPresent(g -> all.add(g.buffer()));
      }
    }
    return all;
  }

  /** Buffers that a kernel reads and writes. */
  static List<Operand> operands(Kernel kernel) {
    var all = new ArrayList<Operand>();
    switch (kernel) {
      case Kernel.Map k -> {
        all.addAll(k.inputs());
        all.addAll(k.stores());
      }
      case Kernel.Row k -> {
        all.addAll(k.inputs());
        k.stores().forEach(s -> all.add(s.target()));
      }
      case Kernel.Scan k -> {
        all.addAll(k.inputs());
        all.add(k.target());
      }
      case Kernel.Recurrence k -> {
        all.addAll(k.reads());
        all.addAll(k.targets());
      }
      case Kernel.Scatter k -> {
        all.addAll(k.inputs());
        all.add(k.target());
      }
      case Kernel.Product k -> all.addAll(List.of(k.a(), k.right(), k.c()));
      case Kernel.FusedGemm k -> {
        all.addAll(k.left().map(Kernel.Map::inputs).orElse(List.of(k.gemm().a())));
        all.addAll(k.right().map(Kernel.Map::inputs).orElse(List.of(k.gemm().right())));
        k.after()
            .ifPresent(map -> {
              map.inputs().stream().filter(o -> !o.equals(k.gemm().c())).forEach(all::add);
              all.addAll(map.stores());
            });
        if (k.after().isEmpty() || k.gemm().beta() != 0) {
          all.add(k.gemm().c());
        }
      }
      case Kernel.Sort k -> {
        all.add(k.input());
        k.values().ifPresent(all::add);
        k.indices().ifPresent(all::add);
      }
      case Kernel.Convolution k -> all.addAll(k.operands());
      case Kernel.Fourier k -> {
        all.add(k.re());
        k.im().ifPresent(all::add);
        all.add(k.toRe());
        all.add(k.toIm());
      }
    }
    return all;
  }
}
