package ristretto.onednn;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.cpu.convolution.ConvolutionRoutine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Kernel.Convolution.Made;
import ristretto.kernels.ir.Longs;
import ristretto.onednn.OneDnn.Kind;
import ristretto.onednn.OneDnn.Role;

/**
 * Builds the phases of a convolution. Each block of images is copied into oneDNN's preferred
 * layout, computed there, and copied back; filters are copied once per run. Operands whose
 * preferred layout is row-major are not copied.
 */
final class RoutineBuilder {
  private static final int MOST_AXES = 3;

  /** Maximum number of operands of one sum primitive. */
  private static final int MOST_SUMMANDS = 16;

  /** Minimum number of elements per task of a sum. */
  private static final long SUM = 16 << 10;

  private static final int MOST_SUMS = 16;

  // oneDNN's codes of arguments.
  private static final int FROM = 1;
  private static final int TO = 17;
  private static final int SUMMAND = 1024;

  private final Kernel.Convolution kernel;
  private final Blocks blocks;
  private final Handles handles = new Handles();
  private final Room shared = new Room();
  private final Room scratch = new Room();
  private final List<Phase> phases = new ArrayList<>();
  private final long attributes;
  private final long plainFilter;

  RoutineBuilder(Kernel.Convolution kernel) {
    this.kernel = kernel;
    blocks = Blocks.of(kernel);
    attributes = handles.keep(Kind.ATTRIBUTES, OneDnn.attributes());
    plainFilter = handles.keep(Kind.LAYOUT, OneDnn.plain(Part.filterExtents(kernel)));
  }

  /**
   * Returns true if oneDNN may compute the convolution. Gradients of one-channel images are faster
   * as sums of products.
   */
  static boolean suits(Kernel.Convolution k) {
    return k.images().size() - 2 <= MOST_AXES
        && k.images().product() > 0
        && k.filters().product() > 0
        && k.results().product() > 0
        && Math.max(k.images().product(), k.results().product()) <= Integer.MAX_VALUE
        && k.filters().product() <= Integer.MAX_VALUE
        && !(k.made() == Made.IMAGES && k.images().get(1) == 1);
  }

  /** Builds the routine; empty if oneDNN has only reference code for the convolution. */
  Optional<ConvolutionRoutine> build() {
    boolean made = false;
    try {
      Optional<ConvolutionRoutine> routine = routine();
      made = routine.isPresent();
      return routine;
    } finally {
      if (!made) {
        handles.run();
      }
    }
  }

  private Optional<ConvolutionRoutine> routine() {
    Part part = Part.open(kernel, handles, blocks.size(), attributes);
    if (part.isFast()) {
      Part last = blocks.last() == blocks.size() ? part : part.of(blocks.last(), attributes);
      if (last.isFast()) {
        if (kernel.made() == Made.FILTERS) {
          gradientsOfFilters(part, last);
        } else {
          imageByImage(part, last);
        }
        return Optional.of(new Routine(part.words(), phases, shared, scratch, handles));
      }
    }
    return Optional.empty();
  }

  /**
   * Adds the phases of a convolution that makes images or results: one task per block, each with
   * its own output.
   */
  private void imageByImage(Part part, Part last) {
    long layout = part.layout(part.filters());
    var filter = new Place(Place.Base.FILTER, 0, 0);
    if (!OneDnn.equal(layout, plainFilter)) {
      var copy = new Place(Place.Base.SHARED, shared.take(OneDnn.bytes(layout)), 0);
      phases.add(new Phase(1, List.of(copy(plainFilter, filter, layout, copy, new Room()))));
      filter = copy;
    }
    var argument = new Step.Argument(part.filters().argument, layout, filter);
    List<Step> steps = steps(part, argument);
    phases.add(new Phase(blocks.count(), steps, part == last ? steps : steps(last, argument)));
  }

  /** Adds the phases of a filter gradient: one partial sum per block, then their sum. */
  private void gradientsOfFilters(Part part, Part last) {
    long layout = part.layout(part.filters());
    boolean plain = OneDnn.equal(layout, plainFilter);
    var target = new Place(Place.Base.FILTER, 0, 0);
    long bytes = (OneDnn.bytes(layout) + 63) & -64L;
    int count = blocks.count();
    Place partial = target;
    if (count > 1 || !plain) {
      partial = new Place(Place.Base.SHARED, shared.take(bytes * count), bytes);
    }
    var argument = new Step.Argument(part.filters().argument, layout, partial);
    List<Step> steps = steps(part, argument);
    phases.add(new Phase(count, steps, part == last ? steps : steps(last, argument)));
    Place sum = partial;
    if (count > 1) {
      sum = plain ? target : new Place(Place.Base.SHARED, shared.take(bytes), 0);
      sum(partial, OneDnn.bytes(layout) / Float.BYTES, sum);
    }
    if (!plain) {
      phases.add(new Phase(1, List.of(copy(layout, sum, plainFilter, target, new Room()))));
    }
  }

  /** Adds the partial sums of all blocks; each task sums a range of the elements. */
  private void sum(Place partial, long elements, Place target) {
    long shares = Math.min(MOST_SUMS, Math.max(1, elements / SUM));
    while (elements % shares != 0) {
      shares--;
    }
    long bytes = elements / shares * Float.BYTES;
    long layout = handles.keep(Kind.LAYOUT, OneDnn.plain(elements / shares));
    var steps = new ArrayList<Step>();
    Place so = null;
    int next = 0;
    while (next < blocks.count()) {
      var places = new ArrayList<Place>();
      if (so != null) {
        places.add(so);
      }
      while (next < blocks.count() && places.size() < MOST_SUMMANDS) {
        places.add(new Place(partial.base(), partial.offset() + next * partial.share(), bytes));
        next++;
      }
      boolean done = next == blocks.count();
      so =
          done
              ? new Place(target.base(), target.offset(), bytes)
              : new Place(Place.Base.SHARED, shared.take(elements * Float.BYTES), bytes);
      steps.add(sum(layout, places, so));
    }
    phases.add(new Phase((int) shares, steps));
  }

  private Step sum(long layout, List<Place> from, Place to) {
    long description = OneDnn.sum(layout, from.size(), attributes);
    var arguments = new ArrayList<Step.Argument>();
    for (int k = 0; k < from.size(); k++) {
      arguments.add(new Step.Argument(SUMMAND + k, layout, from.get(k)));
    }
    arguments.add(new Step.Argument(TO, layout, to));
    return step(handles.keep(Kind.DESCRIPTION, description), arguments, new Room());
  }

  /** Steps of one block: copies the operands in, computes, and copies the result out. */
  private List<Step> steps(Part part, Step.Argument filter) {
    var room = new Room();
    var before = new ArrayList<Step>();
    var after = new ArrayList<Step>();
    Step.Argument image =
        operand(part, part.images(), Place.Base.IMAGE, kernel.images(), room, before, after);
    Step.Argument result =
        operand(part, part.results(), Place.Base.RESULT, kernel.results(), room, before, after);
    before.add(step(part.description(), List.of(image, filter, result), room));
    before.addAll(after);
    return before;
  }

  /** Images or results of a block: in place if the layout is row-major, otherwise a copy. */
  private Step.Argument operand(
      Part part,
      Role role,
      Place.Base base,
      Longs extents,
      Room room,
      List<Step> before,
      List<Step> after) {
    long plain = part.plain(extents);
    long layout = part.layout(role);
    long one = extents.product() / extents.get(0) * Float.BYTES;
    var outside = new Place(base, 0, blocks.size() * one);
    if (OneDnn.equal(layout, plain)) {
      return new Step.Argument(role.argument, plain, outside);
    }
    var inside = new Place(Place.Base.SCRATCH, room.take(OneDnn.bytes(layout)), 0);
    if (role == Role.RESULT || role == Role.IMAGE_GRADIENT) {
      after.add(copy(layout, inside, plain, outside, room));
    } else {
      before.add(copy(plain, outside, layout, inside, room));
    }
    return new Step.Argument(role.argument, layout, inside);
  }

  private Step copy(long layout, Place from, long other, Place to, Room room) {
    long description = handles.keep(Kind.DESCRIPTION, OneDnn.reorder(layout, other, attributes));
    return step(
        description,
        List.of(new Step.Argument(FROM, layout, from), new Step.Argument(TO, other, to)),
        room);
  }

  /** Makes a step, with the scratch memory of its primitive. */
  private Step step(long description, List<Step.Argument> arguments, Room room) {
    var all = new ArrayList<>(arguments);
    long layout = OneDnn.layout(description, Role.SCRATCH);
    long bytes = OneDnn.bytes(layout);
    if (bytes > 0) {
      all.add(
          new Step.Argument(
              Role.SCRATCH.argument, layout, new Place(Place.Base.SCRATCH, room.take(bytes), 0)));
    }
    scratch.atLeast(room);
    return new Step(handles.keep(Kind.PRIMITIVE, OneDnn.primitive(description)), all);
  }
}
