package ristretto.expr;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import ristretto.expr.index.Size;
import ristretto.expr.memory.MemoryPlan;
import ristretto.expr.memory.MemoryPlanner;
import ristretto.expr.memory.Storage;
import ristretto.expr.option.Optimization;
import ristretto.expr.plan.KernelSizes;
import ristretto.expr.plan.PlanBuilder;
import ristretto.expr.plan.Step;
import ristretto.expr.program.LinearKernels;
import ristretto.expr.program.LinearLaunches;
import ristretto.expr.program.LinearScalars;
import ristretto.expr.program.MemoryPlanning;
import ristretto.expr.recording.Recorded;
import ristretto.expr.recording.Recorder;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Launch;

/**
 * Recorded program whose sizes are linear functions {@code a + b n} of a number that is not known
 * yet, such as a number of sequences; see {@link #record}. Becomes a {@link Program} for a number
 * without any planning.
 */
public final class ProgramTemplate {
  /** Size of an unknown extent while the program is recorded; printed as n. */
  public static final long UNKNOWN = Size.UNKNOWN;

  private final Device device;
  private final List<Step.Lowered> steps;
  private final List<Storage> storages;
  private final ProgramParts parts;
  private final Plan plan;
  private final MemoryPlanner placement;
  private final LinearScalars scalars;
  private final List<Tensor<?>> outside;

  /** From the first use on. */
  private LinearLaunches launches;

  private ProgramTemplate(
      Session session,
      PlanBuilder builder,
      List<Integer> starts,
      MemoryPlanner placement,
      LinearScalars scalars,
      List<Tensor<?>> outside) {
    this.device = session.device();
    this.parts = new ProgramParts(session, builder, starts);
    this.steps = List.copyOf(builder.steps());
    this.storages = List.copyOf(builder.storages());
    this.plan = new Plan(builder);
    this.placement = placement;
    this.scalars = scalars;
    this.outside = outside;
  }

  /**
   * Records a program as {@link Context#recordTransient} does. Extents that are not known yet are
   * {@link #UNKNOWN}.
   *
   * @param body returns those of its own tensors that are no temporaries
   * @return empty if the program depends on the number by more than linear sizes
   */
  public static Optional<ProgramTemplate> record(Context context, Supplier<List<Tensor<?>>> body) {
    var outside = new ArrayList<Tensor<?>>();
    return record(context, List.of(() -> outside.addAll(body.get())), () -> outside);
  }

  /**
   * Records programs in parts as {@link Context#recordParts} does; see {@link #record(Context,
   * Supplier)}.
   *
   * @param bodies of the parts
   * @param own after them, those tensors that are no temporaries, and others in whose place each
   *     program has one of its own
   */
  public static Optional<ProgramTemplate> record(
      Context context, List<Runnable> bodies, Supplier<List<Tensor<?>>> own) {
    var recorder = new Recorder(Recorder.Mode.LATER_KEEPING_NOTHING);
    return context
        .session()
        .recording(
            () -> Context.inParts(recorder, bodies),
            recorder,
            (session, without) -> of(session, recorder, without, own.get()));
  }

  private static Optional<ProgramTemplate> of(
      Session session, Recorder recorder, Set<Optimization> without, List<Tensor<?>> outside) {
    List<Storage> results = new ArrayList<>();
    outside.forEach(t -> results.add(t.storage()));
    PlanBuilder builder = Program.plan(session, Recorded.of(recorder), without, results);
    var growing = new HashSet<Integer>();
    var given = new HashSet<Integer>();
    for (int k = 0; k < builder.storages().size(); k++) {
      if (builder.storages().get(k) instanceof Storage.Planned p) {
        growing.add(k);
        if (results.contains(p)) {
          given.add(k);
        }
        if (!Size.isValid(p.bytes())) {
          return Optional.empty();
        }
      }
    }
    var scalars = new LinearScalars(Program.scalars(builder.key()));
    var kernels = new LinearKernels(growing, scalars);
    for (Step.Lowered step : builder.steps()) {
      if (!(step instanceof Step.KernelStep s && holds(s, kernels))) {
        return Optional.empty();
      }
    }
    List<Storage> storages = builder.storages();
    MemoryPlanner placement =
        MemoryPlanning.of(
            session.device(),
            builder.steps(),
            storages.size(),
            0,
            k ->
                storages.get(k) instanceof Storage.Planned t && !given.contains(k) ? t.bytes() : -1,
            k -> storages.get(k) instanceof Storage.Planned t ? t.bytes() : -1,
            without,
            builder::isInPlace);
    return Optional.of(
        new ProgramTemplate(
            session, builder, builder.parts(), placement, scalars, List.copyOf(outside)));
  }

  private static boolean holds(Step.KernelStep step, LinearKernels kernels) {
    return step.motion() == null
        ? kernels.holds(step.kernel())
        : step.motion().moved().offsets(Size::isValid);
  }

  /** Returns true if a size does not depend on the unknown number. */
  public static boolean isKnown(long size) {
    return Size.isKnown(size);
  }

  /** Value of a size for a number. */
  public static long size(long value, long number) {
    return Size.at(value, number);
  }

  /**
   * Program for a number.
   *
   * @param number at least 1
   * @param tensors in place of those that the recording returned, in their order
   */
  public Program at(long number, List<? extends Tensor<?>> tensors) {
    return parts(number, tensors).get(0);
  }

  /** Programs of all parts for a number; see {@link #at}. */
  public List<Program> parts(long number, List<? extends Tensor<?>> tensors) {
    Map<Storage, Storage> given = new IdentityHashMap<>();
    for (int k = 0; k < outside.size(); k++) {
      check(outside.get(k), tensors.get(k), number);
      given.put(outside.get(k).storage(), tensors.get(k).storage());
    }
    if (launches == null) {
      launches = new LinearLaunches(device, steps);
    }
    Launch[] own = launches.at(number);
    var all = new ArrayList<Storage>();
    storages.forEach(s -> all.add(given.getOrDefault(s, s)));
    MemoryPlan places = placement.plan(v -> Size.at(v, number));
    return parts.programs(own, all, places, () -> plan(number), List.of(), scalars.at(number));
  }

  private static void check(Tensor<?> place, Tensor<?> tensor, long number) {
    long[] wanted = place.shape().toArray();
    for (int d = 0; d < wanted.length; d++) {
      wanted[d] = Size.at(wanted[d], number);
    }
    if (tensor.dtype() != (Object) place.dtype()
        || !tensor.shape().equals(Shape.of(wanted))
        || !tensor.layout().isContiguous()
        || tensor.layout().offset() != 0) {
      throw new ShapeException(
          "[template] a tensor must have the dtype and shape that the recording had, with its"
              + " own memory; got %s for %s%s; make it with empty."
                  .formatted(tensor.label(), place.dtype(), Shape.of(wanted)));
    }
  }

  /** Plan of the program for a number; texts have sizes as functions of n. */
  private Plan plan(long number) {
    var sizes = new KernelSizes(v -> Size.at(v, number));
    List<Step.Lowered> resized = new ArrayList<>();
    for (Step.Lowered step : steps) {
      var s = (Step.KernelStep) step;
      resized.add(new Step.KernelStep(sizes.of(s.kernel()), s.what(), List.of()));
    }
    return plan.resized(resized, "n = " + number);
  }
}
