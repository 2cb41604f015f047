package ristretto.onednn;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * State of one thread that runs a routine: a stream, and memory objects whose addresses it sets.
 */
final class Worker {
  /** Size of an argument: a code and a memory handle. */
  private static final long ARGUMENT_BYTES = 16;

  private static final long MEMORY = 8;

  /** Step with memory objects of this worker. */
  private record Call(Step step, long[] memories, MemorySegment arguments) {}

  private final long stream;
  private final Call[][] steps;
  private final Call[][] last;

  /** Base addresses of the current run, by {@link Place.Base}. */
  private final long[] bases = new long[Place.Base.values().length];

  Worker(List<Phase> phases, Handles handles) {
    stream = handles.keep(OneDnn.Kind.STREAM, OneDnn.stream());
    steps = new Call[phases.size()][];
    last = new Call[phases.size()][];
    for (int p = 0; p < steps.length; p++) {
      Phase phase = phases.get(p);
      steps[p] = calls(phase.steps(), handles);
      last[p] = phase.last().equals(phase.steps()) ? steps[p] : calls(phase.last(), handles);
    }
  }

  private static Call[] calls(List<Step> steps, Handles handles) {
    return steps.stream().map(step -> call(step, handles)).toArray(Call[]::new);
  }

  private static Call call(Step step, Handles handles) {
    int count = step.arguments().size();
    long[] memories = new long[count];
    MemorySegment arguments = Arena.ofAuto().allocate(ARGUMENT_BYTES * count, 8);
    for (int k = 0; k < count; k++) {
      Step.Argument a = step.arguments().get(k);
      memories[k] = handles.keep(OneDnn.Kind.MEMORY, OneDnn.memory(a.layout()));
      arguments.set(ValueLayout.JAVA_INT, ARGUMENT_BYTES * k, a.role());
      arguments.set(ValueLayout.JAVA_LONG, ARGUMENT_BYTES * k + MEMORY, memories[k]);
    }
    return new Call(step, memories, arguments);
  }

  /** Sets the address of a buffer for the following tasks. */
  void base(Place.Base base, long address) {
    bases[base.ordinal()] = address;
  }

  void run(int phase, int share, boolean isLast) {
    Call[] calls = isLast ? last[phase] : steps[phase];
    for (int c = 0; c < calls.length; c++) {
      Call call = calls[c];
      for (int k = 0; k < call.memories.length; k++) {
        Place at = call.step.arguments().get(k).place();
        long base = bases[at.base().ordinal()];
        OneDnn.place(call.memories[k], base + at.offset() + share * at.share());
      }
      OneDnn.execute(call.step.primitive(), stream, call.memories.length, call.arguments.address());
    }
  }
}
