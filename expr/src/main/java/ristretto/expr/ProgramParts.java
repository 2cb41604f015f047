package ristretto.expr;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import ristretto.expr.memory.MemoryPlan;
import ristretto.expr.memory.MemoryPlanner;
import ristretto.expr.memory.Storage;
import ristretto.expr.memory.TemporaryBuffers;
import ristretto.expr.option.Optimization;
import ristretto.expr.plan.PlanBuilder;
import ristretto.expr.plan.Step;
import ristretto.expr.program.CompiledPlan;
import ristretto.expr.program.Launches;
import ristretto.expr.program.MemoryPlanning;
import ristretto.expr.recording.Recorded;
import ristretto.expr.recording.Recorder;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;

/**
 * Creates one program per part of a recording; see {@link Context#recordParts}. The parts are
 * planned together: temporaries with disjoint live ranges share memory across parts.
 */
final class ProgramParts {
  private final Session session;
  private final List<Step.Lowered> steps;
  private final List<Storage> storages;

  /** First step of each part, then the number of steps. */
  private final int[] starts;

  /** First assignment of each part. */
  private final List<Integer> assignments;

  /**
   * Splits a plan into parts.
   *
   * @param starts first assignment of each part; empty for a single part
   */
  ProgramParts(Session session, PlanBuilder plan, List<Integer> starts) {
    this.session = session;
    this.steps = List.copyOf(plan.steps());
    this.storages = List.copyOf(plan.storages());
    this.assignments = List.copyOf(starts);
    this.starts = new int[Math.max(1, starts.size()) + 1];
    int step = 0;
    for (int part = 1; part < this.starts.length; part++) {
      while (step < steps.size() && plan.part(steps.get(step)) < part) {
        step++;
      }
      this.starts[part] = step;
    }
  }

  /** Plans a recording and creates its programs. */
  static List<Program> of(Session session, Recorder recorder, Set<Optimization> without) {
    Recorded recording = Recorded.of(recorder);
    PlanBuilder builder = Program.plan(session, recording, without, List.of());
    var plan = new Plan(builder);
    plan.log();
    var parts = new ProgramParts(session, builder, builder.parts());
    Buffer[] buffers = parts.buffers(parts.storages);
    List<Storage> storages = parts.storages;
    MemoryPlanner planner =
        MemoryPlanning.of(
            session.device(),
            parts.steps,
            storages.size(),
            0,
            k -> storages.get(k) instanceof Storage.Planned t ? t.bytes() : -1,
            k -> buffers[k].bytes(),
            without,
            builder::isInPlace);
    return parts.programs(
        Launches.of(session.device(), parts.steps),
        storages,
        planner.plan(v -> v),
        () -> plan,
        split(recording),
        Program.scalars(builder.key()));
  }

  private static List<Supplier<List<Recorder.Assigned>>> split(Recorded recording) {
    var parts = new ArrayList<Supplier<List<Recorder.Assigned>>>();
    for (int k = 0; k < recording.parts().size(); k++) {
      int part = k;
      parts.add(() -> recording.part(part));
    }
    return parts;
  }

  /**
   * Creates the programs from prepared launches.
   *
   * @param memory storages that replace those of the plan
   * @param assigned recorded assignments of each part; empty if unknown
   */
  List<Program> programs(
      Launch[] launches,
      List<Storage> memory,
      MemoryPlan places,
      Supplier<Plan> plan,
      List<Supplier<List<Recorder.Assigned>>> assigned,
      long[] scalars) {
    Buffer[] buffers = buffers(memory);
    boolean several = starts.length > 2;
    List<Supplier<Buffer>> own = several ? new ArrayList<>() : null;
    for (int k = 0; several && k < places.bytes().size(); k++) {
      long bytes = places.bytes().get(k);
      own.add(new Storage.Deferred(session, () -> session.memory().allocate(bytes))::buffer);
    }
    var temporaries = new TemporaryBuffers(session.memory(), places, own);
    var programs = new ArrayList<Program>();
    for (int part = 0; part + 1 < starts.length; part++) {
      int from = starts[part];
      int to = starts[part + 1];
      var prepared =
          new CompiledPlan(
              session,
              steps.subList(from, to),
              java.util.Arrays.copyOfRange(launches, from, to),
              storages,
              buffers,
              temporaries);
      Supplier<List<Recorder.Assigned>> mine = assigned.isEmpty() ? List::of : assigned.get(part);
      int before = assigned.isEmpty() ? 0 : assignments.get(part);
      programs.add(
          new Program(
              session,
              prepared,
              several ? () -> plan.get().part(from, to, before) : plan,
              mine,
              memory,
              scalars));
    }
    return programs;
  }

  private Buffer[] buffers(List<Storage> memory) {
    var buffers = new Buffer[memory.size()];
    for (int k = 0; k < buffers.length; k++) {
      if (!(memory.get(k) instanceof Storage.Planned)) {
        buffers[k] = memory.get(k).buffer();
      }
    }
    return buffers;
  }
}
