package ristretto.symbolic.inspect;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import ristretto.expr.Tensor;
import ristretto.expr.Trace;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.report.AreaChart;
import ristretto.symbolic.graph.Variable;

/**
 * Memory of one run, as {@code executor.memory()} returns it: persistent tensors, and temporaries
 * from their first to their last kernel. {@link #toString} prints a table of the temporaries at the
 * peak by layer, {@link #picture} draws the bytes over the kernels of the run.
 *
 * @param persistent bytes of persistent tensors by kind: parameters, states, inputs, and others,
 *     such as outputs, gradients that are kept, and the optimizer's states
 * @param launches kernels in launch order
 * @param temporaries temporaries in the order of their first kernel; without those that use the
 *     memory of a persistent tensor
 */
public record MemoryProfile(
    Map<String, Long> persistent, List<Launch> launches, List<Temporary> temporaries) {
  /** Number of layers that a picture distinguishes. */
  private static final int LAYERS = 9;

  /**
   * Kernel.
   *
   * @param layer name of the operator whose value the kernel stores, as in {@link Profile.Row}
   * @param pass forward, backward, recompute or update
   */
  public record Launch(String layer, String pass, String kernel) {}

  /**
   * Temporary, which shares memory with temporaries of other kernels.
   *
   * @param layer name of the operator whose kernel writes it first
   * @param pass pass of this kernel
   * @param first number of the first kernel that uses it
   * @param last number of the last kernel that uses it
   */
  public record Temporary(
      String layer, String pass, String dtype, Shape shape, long bytes, int first, int last) {
    private boolean isLive(int launch) {
      return first <= launch && launch <= last;
    }
  }

  public MemoryProfile {
    persistent = Collections.unmodifiableMap(new LinkedHashMap<>(persistent));
    launches = List.copyOf(launches);
    temporaries = List.copyOf(temporaries);
  }

  /**
   * Returns the memory of a run.
   *
   * @param trace trace of the program, whose assignments have a {@link Part} as label
   * @param tensors memory of a parameter or state
   * @param inputs memory of the inputs
   */
  public static MemoryProfile of(
      Trace trace,
      List<Variable<?>> parameters,
      List<Variable<?>> states,
      Function<Variable<?>, Tensor<?>> tensors,
      List<Tensor<?>> inputs) {
    List<Part.Names> names = Part.names(trace);
    var launches = new ArrayList<Launch>();
    Map<Integer, int[]> lives = new HashMap<>();
    for (int k = 0; k < names.size(); k++) {
      Trace.Work work = trace.works().get(k);
      launches.add(new Launch(names.get(k).layer(), names.get(k).pass(), work.name()));
      var used = new HashSet<Integer>();
      work.reads().forEach(a -> used.add(a.memory()));
      work.writes().forEach(a -> used.add(a.memory()));
      for (int memory : used) {
        int launch = k;
        lives.computeIfAbsent(memory, _ -> new int[] {launch, launch})[1] = launch;
      }
    }
    var temporaries = new ArrayList<Temporary>();
    var persistent = new LinkedHashMap<String, Long>();
    Set<Integer> counted = new HashSet<>();
    persistent.put("parameters", bytes(trace, parameters.stream().map(tensors), counted));
    persistent.put("states", bytes(trace, states.stream().map(tensors), counted));
    persistent.put("inputs", bytes(trace, inputs.stream(), counted));
    long others = 0;
    for (Trace.Memory m : trace.memories()) {
      int[] life = lives.get(m.number());
      if (m.slot() >= 0 && life != null) {
        Launch by = launches.get(life[0]);
        temporaries.add(
            new Temporary(by.layer, by.pass, m.dtype(), m.shape(), m.bytes(), life[0], life[1]));
      } else if (!m.isTemporary() && m.isUsed() && counted.add(m.number())) {
        others += m.bytes();
      }
    }
    persistent.put("others", others);
    temporaries.sort(Comparator.comparingInt(Temporary::first));
    return new MemoryProfile(persistent, launches, temporaries);
  }

  private static long bytes(Trace trace, Stream<Tensor<?>> tensors, Set<Integer> counted) {
    return tensors
        .mapToLong(t -> {
          trace.memory(t).ifPresent(m -> counted.add(m.number()));
          return t.shape().size() * t.dtype().bytes();
        })
        .sum();
  }

  /** Returns the bytes of temporaries while a kernel runs. */
  public long liveBytes(int launch) {
    return temporaries.stream().filter(t -> t.isLive(launch)).mapToLong(Temporary::bytes).sum();
  }

  /** Returns the number of the kernel with the most bytes of temporaries; 0 without kernels. */
  public int peakLaunch() {
    int peak = 0;
    for (int k = 1; k < launches.size(); k++) {
      if (liveBytes(k) > liveBytes(peak)) {
        peak = k;
      }
    }
    return peak;
  }

  /** Returns the maximum of the bytes of temporaries over the kernels. */
  public long peakBytes() {
    return liveBytes(peakLaunch());
  }

  /** Returns the bytes of persistent tensors. */
  public long persistentBytes() {
    return persistent.values().stream().mapToLong(v -> v).sum();
  }

  /** Returns the bytes of temporaries at the peak by layer, the most first. */
  public Map<String, Long> peakByLayer() {
    int peak = peakLaunch();
    var sums = new LinkedHashMap<String, Long>();
    temporaries.stream()
        .filter(t -> t.isLive(peak))
        .forEach(t -> sums.merge(t.layer, t.bytes, Long::sum));
    return sorted(sums);
  }

  private static Map<String, Long> sorted(Map<String, Long> sums) {
    var sorted = new LinkedHashMap<String, Long>();
    sums.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .forEach(e -> sorted.put(e.getKey(), e.getValue()));
    return sorted;
  }

  /** Returns the tables of persistent tensors and of temporaries at the peak. */
  @Override
  public String toString() {
    var fixed = new TextTable("lr");
    persistent.forEach((kind, bytes) -> fixed.row(kind, Quantities.bytes(bytes)));
    fixed.row("persistent", Quantities.bytes(persistentBytes()));
    var table = new TextTable("lrr");
    long all = peakBytes();
    peakByLayer()
        .forEach((layer, bytes) ->
            table.row(layer, Quantities.bytes(bytes), Quantities.percent(bytes, all)));
    table.row("temporaries", Quantities.bytes(all), "");
    String at = "";
    if (!launches.isEmpty()) {
      Launch l = launches.get(peakLaunch());
      at =
          "%nMost temporaries in kernel %s of %s, %s (%s, %s):%n"
              .formatted(peakLaunch() + 1, launches.size(), l.kernel, l.layer, l.pass)
              .replace(System.lineSeparator(), "\n");
    }
    return fixed + at + table;
  }

  /**
   * Draws the bytes of temporaries over the kernels of the run, stacked by layer. The file is
   * written atomically.
   *
   * @throws ShapeException if the file name does not end in {@code .png}
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void picture(Path file) {
    var sums = new LinkedHashMap<String, Long>();
    temporaries.forEach(t -> sums.merge(t.layer, t.bytes * (t.last - t.first + 1), Long::sum));
    List<String> layers = List.copyOf(sorted(sums).keySet());
    Quantities.Unit unit = Quantities.unit(peakBytes());
    Map<String, double[]> areas = new LinkedHashMap<>();
    for (String layer : layers) {
      String label = areas.size() < LAYERS || areas.containsKey(layer) ? layer : "other layers";
      double[] heights = areas.computeIfAbsent(label, _ -> new double[launches.size()]);
      for (Temporary t : temporaries) {
        for (int k = t.first; t.layer.equals(layer) && k <= t.last; k++) {
          heights[k] += t.bytes / unit.bytes();
        }
      }
    }
    var chart = new AreaChart("Temporary memory of a run", "kernel", unit.name());
    areas.forEach(chart::area);
    PictureFile.write("memory", file, ".png", chart.png());
  }
}
