package ristretto.expr;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import ristretto.kernels.ShapeException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Launch;

/**
 * A recorded program whose sizes are linear functions of a number, such as that of sequences; see
 * {@link #record}. It becomes a {@link Program} for a number without any planning.
 */
public final class ProgramTemplate {
  /** Stands for the number while the program is recorded. */
  public static final long STAND_IN = LinearSizes.STAND_IN;

  private static final Pattern LARGE = Pattern.compile("\\d{9,18}");

  private final Device device;
  private final List<Step> steps;
  private final List<Storage> storages;
  private final ProgramParts parts;
  private final Plan plan;
  private final Placement placement;
  private final LinearScalars scalars;
  private final List<Tensor<?>> outside;

  /** From the first use on. */
  private LinearLaunches launches;

  private ProgramTemplate(
      Context context,
      Device device,
      PlanBuilder builder,
      List<Integer> starts,
      Placement placement,
      LinearScalars scalars,
      List<Tensor<?>> outside) {
    this.device = device;
    this.parts = new ProgramParts(context, device, builder, starts);
    this.steps = List.copyOf(builder.steps());
    this.storages = List.copyOf(builder.storages());
    this.plan = new Plan(builder);
    this.placement = placement;
    this.scalars = scalars;
    this.outside = outside;
  }

  /**
   * Records a program whose sizes are functions of a number that is not known yet, for which {@code
   * body} uses {@link #STAND_IN}; as {@link Context#recordTransient} otherwise.
   *
   * @param body returns those of its own tensors that are no temporaries
   * @return empty if what is to be done depends on the number in another way than linearly
   */
  public static Optional<ProgramTemplate> record(Context context, Supplier<List<Tensor<?>>> body) {
    var outside = new ArrayList<Tensor<?>>();
    return record(context, List.of(() -> outside.addAll(body.get())), () -> outside);
  }

  /**
   * The same of programs in parts; as {@link Context#recordParts} otherwise.
   *
   * @param bodies of the parts
   * @param own after them, those tensors that are no temporaries, and others in whose place each
   *     program has one of its own
   */
  public static Optional<ProgramTemplate> record(
      Context context, List<Runnable> bodies, Supplier<List<Tensor<?>>> own) {
    var recorder = new Recorder(Recorder.Mode.LATER_KEEPING_NOTHING);
    return context.recording(
        () -> Context.inParts(recorder, bodies),
        recorder,
        (device, without) -> of(context, device, recorder, without, own.get()));
  }

  private static Optional<ProgramTemplate> of(
      Context context,
      Device device,
      Recorder recorder,
      Set<Optimization> without,
      List<Tensor<?>> outside) {
    List<Storage> results = new ArrayList<>();
    outside.forEach(t -> results.add(t.storage()));
    PlanBuilder builder = Program.plan(context, device, Recorded.of(recorder), without, results);
    var growing = new HashSet<Integer>();
    var given = new HashSet<Integer>();
    for (int k = 0; k < builder.storages().size(); k++) {
      if (builder.storages().get(k) instanceof Storage.Planned p) {
        growing.add(k);
        if (results.contains(p)) {
          given.add(k);
        }
        if (!LinearSizes.isLinear(p.bytes())) {
          return Optional.empty();
        }
      }
    }
    var scalars = new LinearScalars(Program.scalars(builder.key()));
    var sizes = new LinearSizes(growing, scalars);
    for (Step step : builder.steps()) {
      if (!(step instanceof Step.KernelStep s && holds(s, sizes))) {
        return Optional.empty();
      }
    }
    List<Storage> storages = builder.storages();
    Placement placement =
        Placement.of(
            device,
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
            context, device, builder, builder.parts(), placement, scalars, List.copyOf(outside)));
  }

  private static boolean holds(Step.KernelStep step, LinearSizes sizes) {
    return step.motion() == null
        ? sizes.holds(step.kernel())
        : step.motion().moved().offsets(LinearSizes::isLinear);
  }

  /** A size that was computed with {@link #STAND_IN}, for a number. */
  public static long size(long value, long number) {
    return LinearSizes.at(value, number);
  }

  /**
   * The program for a number.
   *
   * @param number at least 1
   * @param tensors in place of those that the recording returned, in their order
   */
  public Program at(long number, List<? extends Tensor<?>> tensors) {
    return parts(number, tensors).get(0);
  }

  /** The same of all parts. */
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
    Places places = placement.at(v -> LinearSizes.at(v, number));
    return parts.programs(own, all, places, () -> plan(number), List.of(), scalars.at(number));
  }

  private static void check(Tensor<?> place, Tensor<?> tensor, long number) {
    long[] wanted = place.shape().toArray();
    for (int d = 0; d < wanted.length; d++) {
      wanted[d] = LinearSizes.at(wanted[d], number);
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

  /** What the program does, in words. */
  private Plan plan(long number) {
    var sizes = new KernelSizes(v -> LinearSizes.at(v, number));
    List<Step> resized = new ArrayList<>();
    for (Step step : steps) {
      var s = (Step.KernelStep) step;
      resized.add(new Step.KernelStep(sizes.of(s.kernel()), text(s.what(), number), List.of()));
    }
    return plan.resized(resized, t -> text(t, number));
  }

  private static String text(String text, long number) {
    return LARGE
        .matcher(text)
        .replaceAll(m -> Long.toString(LinearSizes.at(Long.parseLong(m.group()), number)));
  }
}
