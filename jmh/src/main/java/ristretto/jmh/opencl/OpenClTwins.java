package ristretto.jmh.opencl;

import static org.jocl.CL.clFinish;
import static org.jocl.CL.clReleaseMemObject;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;
import ristretto.jmh.line.Line;
import ristretto.jmh.opencl.Variant.Start;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.LoopJob;

/**
 * Hand-written kernels, tuned like an expert's: each vector width and partition of the work is
 * tried, and the fastest variant on this device is used.
 */
public final class OpenClTwins implements Competitor {
  private static final List<String> MAPS =
      List.of("copy", "axpby", "sigmoid", "mix8", "blackscholes");

  private static final List<String> ROWS = List.of("rowsum", "softmax", "layernorm");

  private static final int GROUP = 256;
  private static final int TRIES = 25;
  private static final long ENOUGH_NANOS = 60_000_000L;

  private final Bare bare;
  private final boolean processor;
  private String chosen = "";

  /**
   * Opens a device with the kernels for its kind.
   *
   * @param index index of the device in the engine's order
   */
  public OpenClTwins(int index) {
    bare = new Bare(index);
    processor = bare.processor;
  }

  /**
   * Opens a device with the chosen kernels.
   *
   * @param processor true for the kernels for processors
   */
  OpenClTwins(int index, boolean processor) {
    bare = new Bare(index);
    this.processor = processor;
  }

  @Override
  public String name() {
    return "opencl";
  }

  /** Name of the fastest variant of the last line. */
  public String chosen() {
    return chosen;
  }

  @Override
  public void close() {
    bare.close();
  }

  /**
   * Memory of a line.
   *
   * @param inputs three buffers; a line with fewer inputs does not read the others
   */
  private record Data(List<cl_mem> inputs, cl_mem result) {
    void release() {
      inputs.stream().distinct().forEach(m -> clReleaseMemObject(m));
      clReleaseMemObject(result);
    }
  }

  @Override
  public Offer prepare(Line line, Dims dims) {
    boolean map = MAPS.contains(line.name());
    boolean rows = ROWS.contains(line.name());
    boolean sum = line.name().equals("sum3");
    if (!map && !rows && !sum) {
      return new NotOffered();
    }
    var data = new Data(new ArrayList<>(), bare.allocate(4 * line.outputLength(dims)));
    for (int k = 0; k < 3; k++) {
      boolean given = k < line.inputs().size();
      data.inputs.add(given ? input(line.inputs().get(k), k, dims) : data.inputs.getFirst());
    }
    var variants = new ArrayList<Variant>();
    for (int width : new int[] {1, 4, 8, 16}) {
      if (map && dims.get(0) % width == 0) {
        maps(variants, line.name(), (int) (dims.get(0) / width), width, data);
      } else if (rows && dims.get(1) % width == 0) {
        variants.add(rows(line.name(), dims, width, data));
      } else if (sum && dims.get(0) % width == 0) {
        variants.add(sum((int) (dims.get(0) / width), width, data));
      }
    }
    Variant best = fastest(variants);
    return new Ready(
        new LoopJob(
            () -> best.start(bare.queue),
            () -> clFinish(bare.queue),
            i -> bare.read(data.result, i),
            data::release));
  }

  private cl_mem input(Input input, int k, Dims dims) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(4 * input.length().applyAsLong(dims), 64);
      Input.fill(data, k, input.low(), input.high());
      cl_mem memory = bare.allocate(data.byteSize());
      bare.write(memory, data);
      return memory;
    }
  }

  private cl_kernel kernel(int width, String name, Object... arguments) {
    cl_kernel kernel = bare.kernel(width, name);
    Bare.set(kernel, arguments);
    return kernel;
  }

  private void maps(List<Variant> to, String name, int n, int width, Data data) {
    List<cl_mem> in = data.inputs;
    cl_kernel each = kernel(width, name, in.get(0), in.get(1), in.get(2), data.result, n);
    for (int local : new int[] {64, GROUP, 1024}) {
      long global = (n + local - 1L) / local * local;
      to.add(variant(name + width + " by " + local, new Start(each, one(global), one(local))));
    }
    if (processor) {
      cl_kernel loop =
          kernel(width, name + "_loop", in.get(0), in.get(1), in.get(2), data.result, n);
      for (int share : new int[] {1, 8, 64}) {
        long items = Math.clamp(n / 1024, 1L, (long) share * bare.units);
        to.add(variant(name + width + " in " + items, new Start(loop, one(items), one(1))));
      }
    }
  }

  private Variant rows(String name, Dims dims, int width, Data data) {
    String end = processor ? "_loop" : "";
    int n = (int) (dims.get(1) / width);
    cl_kernel kernel = kernel(width, name + end, data.inputs.getFirst(), data.result, n);
    long group = processor ? 1 : GROUP;
    return variant(name + width, new Start(kernel, one(dims.get(0) * group), one(group)));
  }

  private Variant sum(int n, int width, Data data) {
    String end = processor ? "_loop" : "";
    int groups = processor ? 4 * bare.units : 8 * bare.units;
    long group = processor ? 1 : GROUP;
    cl_mem parts = bare.allocate(4L * groups);
    List<cl_mem> in = data.inputs;
    cl_kernel first = kernel(width, "sum3" + end, in.get(0), in.get(1), in.get(2), parts, n);
    cl_kernel second = kernel(width, "total" + end, parts, data.result, groups);
    return variant(
        "sum" + width,
        new Start(first, one(groups * group), one(group)),
        new Start(second, one(group), one(group)));
  }

  private static Variant variant(String name, Start... starts) {
    return new Variant(name, List.of(starts));
  }

  private static long[] one(long n) {
    return new long[] {n};
  }

  private Variant fastest(List<Variant> variants) {
    long[] least = new long[variants.size()];
    java.util.Arrays.fill(least, Long.MAX_VALUE);
    long spent = 0;
    for (int round = 0; round < TRIES && spent < ENOUGH_NANOS * variants.size(); round++) {
      for (int k = 0; k < least.length; k++) {
        clFinish(bare.queue);
        long start = System.nanoTime();
        variants.get(k).start(bare.queue);
        clFinish(bare.queue);
        long time = System.nanoTime() - start;
        least[k] = Math.min(least[k], time);
        spent += round == 0 ? 0 : time;
      }
    }
    int best = 0;
    for (int k = 1; k < least.length; k++) {
      best = least[k] < least[best] ? k : best;
    }
    chosen = variants.get(best).name();
    return variants.get(best);
  }
}
