package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import ristretto.expr.Tensor;
import ristretto.expr.Trace;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.analysis.Access;
import ristretto.nnet3.analysis.Assignments;
import ristretto.nnet3.analysis.FusedAssignment;
import ristretto.nnet3.analysis.MatrixAccesses;
import ristretto.nnet3.analysis.MatrixInfo;
import ristretto.nnet3.analysis.SubMatrix;
import ristretto.nnet3.graph.NodeRows;
import ristretto.nnet3.graph.RepresentativeSequence;
import ristretto.nnet3.lower.DerivativeLabel;
import ristretto.nnet3.lower.RequestStructure;
import ristretto.nnet3.lower.Step;

/** Converts a program trace into nnet3 assignments, labelled with nodes and frame times. */
final class ReadTrace {
  private final Trace trace;
  private final RequestStructure structure;
  private final RepresentativeSequence sequences;
  private final Map<Integer, String> given = new HashMap<>();
  private final Map<Integer, String> nodes = new HashMap<>();
  private final Map<Integer, MatrixInfo.Role> roles = new HashMap<>();
  private final Map<Integer, Step> firstWriter = new HashMap<>();
  private final Map<Integer, String> firstUser = new HashMap<>();
  private final List<MatrixInfo> memories = new ArrayList<>();
  private final List<Long> slotBytes = new ArrayList<>();
  private final Map<Integer, Integer> places = new HashMap<>();
  private final Map<Integer, Integer> results = new HashMap<>();

  /** Memory that is written before it is read. */
  private final Set<Integer> made = new HashSet<>();

  ReadTrace(Trace trace, RequestStructure structure, RepresentativeSequence sequences) {
    this.trace = trace;
    this.structure = structure;
    this.sequences = sequences;
  }

  Assignments assignments() {
    users();
    places();
    memories();
    var fused = new ArrayList<FusedAssignment>();
    for (Trace.Work work : trace.works()) {
      String node = owner(work);
      fused.add(
          new FusedAssignment(
              fused.size(),
              node,
              work.name(),
              work.kind(),
              work.what(),
              work.space(),
              accesses(work.reads()),
              accesses(work.writes())));
    }
    return new Assignments(
        new MatrixAccesses(memories, fused).reasons(),
        fused,
        trace.assigned().stream().map(this::line).toList(),
        slotBytes);
  }

  /** Names the user's matrices, by node. */
  void name(String prefix, Map<String, Tensor<F32>> tensors, MatrixInfo.Role role) {
    tensors.forEach((node, tensor) ->
        trace
            .memory(tensor)
            .ifPresent(m -> {
              given.put(m.number(), prefix + node);
              nodes.put(m.number(), node);
              roles.put(m.number(), role);
            }));
  }

  /** Finds the first step that writes, and the first node that uses, each piece of memory. */
  private void users() {
    for (Trace.Assigned a : trace.assigned()) {
      if (a.label() instanceof Step step && !a.isInlined()) {
        firstWriter.putIfAbsent(a.target().memory(), step);
      }
    }
    var read = new HashSet<Integer>();
    for (Trace.Work work : trace.works()) {
      work.reads().forEach(a -> read.add(a.memory()));
      work.writes().stream()
          .filter(a -> !read.contains(a.memory()))
          .forEach(a -> made.add(a.memory()));
      for (List<Trace.Access> list : List.of(work.writes(), work.reads())) {
        list.forEach(a -> firstUser.putIfAbsent(a.memory(), node(work).replace(" backward", "'")));
      }
    }
  }

  /**
   * Numbers the memory slots: first those of temporaries, then results whose memory temporaries use
   * before.
   */
  private void places() {
    var slots = new TreeMap<Integer, Long>();
    var within = new TreeMap<Integer, Long>();
    for (Trace.Memory m : trace.memories()) {
      if (m.slot() >= 0) {
        slots.merge(m.slot(), m.offset() + m.bytes(), Math::max);
      }
      if (m.within() >= 0) {
        within.put(m.within(), trace.memories().get(m.within()).bytes());
        within.merge(m.within(), m.offset() + m.bytes(), Math::max);
      }
    }
    slots.forEach((slot, bytes) -> {
      places.put(slot, slotBytes.size());
      slotBytes.add(bytes);
    });
    within.forEach((result, bytes) -> {
      results.put(result, slotBytes.size());
      slotBytes.add(bytes);
    });
  }

  private int place(Trace.Memory m) {
    return m.slot() >= 0
        ? places.get(m.slot())
        : results.getOrDefault(m.within() >= 0 ? m.within() : m.number(), -1);
  }

  private void memories() {
    var used = new HashMap<String, Integer>();
    for (Trace.Memory m : trace.memories()) {
      MatrixInfo.Role role = role(m);
      String name = given.get(m.number());
      Step step = name == null ? firstWriter.get(m.number()) : stepOf(nodes.get(m.number()));
      if (name == null) {
        String base =
            step != null && role != MatrixInfo.Role.PARAMETER
                ? structure.graph().nnet().node(step.node()).name()
                : firstUser.getOrDefault(m.number(), "unused") + suffix(m, role);
        int count = used.merge(base, 1, Integer::sum);
        name = count == 1 ? base : base + "#" + count;
      }
      long[] shape = m.shape().toArray();
      long last = shape.length == 0 ? 1 : shape[shape.length - 1];
      long size = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
      boolean isValue = step != null && role != MatrixInfo.Role.PARAMETER;
      memories.add(
          new MatrixInfo(
              m.number(),
              name,
              role,
              value(shape, step),
              isValue ? held(step) : "",
              (int) (last == 0 ? 0 : size / last),
              (int) last,
              m.bytes(),
              place(m),
              m.offset(),
              null));
    }
  }

  private MatrixInfo.Role role(Trace.Memory m) {
    MatrixInfo.Role known = roles.get(m.number());
    if (known != null) {
      return known;
    }
    if (m.isTemporary() || !m.isUsed()) {
      return MatrixInfo.Role.TEMPORARY;
    }
    return made.contains(m.number()) ? MatrixInfo.Role.KEPT : MatrixInfo.Role.PARAMETER;
  }

  private Step stepOf(String name) {
    int node = structure.graph().nnet().number(name);
    return structure.steps().all().stream().filter(s -> s.node() == node).findFirst().orElse(null);
  }

  private static String suffix(Trace.Memory m, MatrixInfo.Role role) {
    if (role != MatrixInfo.Role.PARAMETER) {
      return role == MatrixInfo.Role.KEPT ? ".gradient" : ".part";
    }
    return m.dtype().startsWith("i") ? ".index" : m.shape().rank() == 2 ? ".matrix" : ".vector";
  }

  /** Returns the shape, with the rows of a value split into rows (t, x) and sequences. */
  private List<Long> value(long[] shape, Step step) {
    long n = sequences.count();
    if (step != null && shape.length == 2 && shape[0] == step.rows().size() * n) {
      return List.of(shape[0] / n, n, shape[1]);
    }
    return Arrays.stream(shape).boxed().toList();
  }

  private String held(Step step) {
    NodeRows rows = structure.steps().rows(step.node());
    String n =
        sequences.regular()
            ? "n=" + range(sequences.numbers().stream().mapToInt(k -> k).toArray()) + ", "
            : "";
    return n + "t=" + times(rows == null ? step.rows() : rows.rows());
  }

  static String times(List<Index> rows) {
    return range(rows.stream().mapToInt(Index::t).distinct().sorted().toArray());
  }

  /**
   * Formats numbers as {@code 0..9}, {@code 0..9 step 3}, or, if irregular, first, last and count.
   */
  private static String range(int[] t) {
    if (t.length == 1) {
      return "" + t[0];
    }
    int step = t[1] - t[0];
    boolean even = true;
    for (int k = 2; k < t.length; k++) {
      even &= t[k] - t[k - 1] == step;
    }
    if (!even) {
      return t[0] + ".." + t[t.length - 1] + " (" + t.length + ")";
    }
    return t[0] + ".." + t[t.length - 1] + (step == 1 ? "" : " step " + step);
  }

  private String node(Trace.Work work) {
    return work.assignments().isEmpty()
        ? work.kind()
        : nodeOf(work.assignments().get(work.assignments().size() - 1), false);
  }

  private String owner(Trace.Work work) {
    List<String> all =
        work.assignments().stream().map(number -> nodeOf(number, true)).distinct().toList();
    return all.size() <= 3
        ? String.join(" + ", all)
        : all.get(0) + " + " + (all.size() - 2) + " more + " + all.get(all.size() - 1);
  }

  private String nodeOf(int number, boolean withTimes) {
    for (Trace.Assigned a : trace.assigned()) {
      if (a.number() == number) {
        return label(a.label(), withTimes);
      }
    }
    throw new IllegalStateException("no assignment " + number);
  }

  private String label(Object label, boolean withTimes) {
    if (label instanceof DerivativeLabel(Step step)) {
      return label(step, withTimes) + " backward";
    }
    if (label instanceof Step step) {
      String name = structure.graph().nnet().node(step.node()).name();
      NodeRows all = structure.steps().rows(step.node());
      boolean part = all != null && all.size() > step.rows().size();
      return withTimes && part ? name + " t=" + times(step.rows()) : name;
    }
    return label == null ? "computation" : label.toString();
  }

  private List<Access> accesses(List<Trace.Access> all) {
    return all.stream().map(a -> Access.of(a, memories.get(a.memory()))).toList();
  }

  private Assignments.Line line(Trace.Assigned a) {
    return new Assignments.Line(
        label(a.label(), true),
        name(a.target()),
        a.expression().apply(this::name),
        a.works(),
        a.isInlined(),
        a.target().memory());
  }

  /** Name of memory with the accessed region. */
  private String name(Trace.Access a) {
    if (a.memory() < 0) {
      return "?";
    }
    MatrixInfo m = memories.get(a.memory());
    if (a.extents().isEmpty() || m.shape().size() < 2) {
      return m.name();
    }
    Access access = Access.of(a, m);
    if (access.regions().size() != 1) {
      return m.name() + "[...]";
    }
    SubMatrix r = access.regions().get(0);
    int n = m.shape().size() == 3 ? Math.toIntExact(m.shape().get(1)) : 1;
    boolean byPlace = r.fromRow() % n == 0 && r.toRow() % n == 0;
    int per = byPlace ? n : 1;
    String rows =
        r.fromRow() == 0 && r.toRow() == m.rows() ? ":" : r.fromRow() / per + ":" + r.toRow() / per;
    String columns =
        r.fromColumn() == 0 && r.toColumn() == m.columns()
            ? ""
            : ", " + r.fromColumn() + ":" + r.toColumn();
    return rows.equals(":") && columns.isEmpty() ? m.name() : m.name() + "[" + rows + columns + "]";
  }
}
