package ristretto.kernels.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import ristretto.kernels.block.BlockDecoder;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.PrintKernel;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeInterpreter;
import ristretto.kernels.scalar.TapeInterpreter.Arithmetic;

/** Interprets one kernel. */
final class OracleLaunch implements Launch {
  private final OracleDevice device;
  private final Kernel kernel;
  private final Arithmetic arithmetic;

  OracleLaunch(OracleDevice device, Kernel kernel, Arithmetic arithmetic) {
    this.device = device;
    this.kernel = kernel;
    this.arithmetic = arithmetic;
  }

  @Override
  public String name() {
    return kernel.name();
  }

  /** Not counted: an interpreter has no speed to report. */
  @Override
  public long bytes() {
    return 0;
  }

  @Override
  public long operations() {
    return 0;
  }

  @Override
  public String source() {
    return PrintKernel.apply(kernel);
  }

  @Override
  public void run(Buffer[] buffers, long[] scalars) {
    device.launch(() -> {
      try {
        switch (kernel) {
          case Kernel.Map k -> map(k, access(buffers, scalars, k.stores()));
          case Kernel.Row k ->
              new OracleRow(
                      k,
                      arithmetic,
                      access(
                          buffers, scalars, k.stores().stream().map(Kernel.Store::target).toList()))
                  .run();
          case Kernel.Scan k -> scan(k, access(buffers, scalars, List.of(k.target())));
          case Kernel.Recurrence k -> recurrence(k, access(buffers, scalars, k.targets()));
          case Kernel.Scatter k -> scatter(k, access(buffers, scalars, List.of(k.target())));
          case Kernel.Product k -> product(k, access(buffers, scalars, List.of(k.c())));
          case Kernel.FusedGemm k -> fused(k, buffers, scalars);
          case Kernel.Sort k -> {
            var targets = new ArrayList<Operand.Memory>();
            k.values().ifPresent(targets::add);
            k.indices().ifPresent(targets::add);
            sort(k, access(buffers, scalars, targets));
          }
          case Kernel.Convolution k ->
              new OracleConvolution(k, access(buffers, scalars, List.of(k.target()))).run();
          case Kernel.Fourier k ->
              new OracleFourier(k, access(buffers, scalars, List.of(k.toRe(), k.toIm()))).run();
        }
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("[oracle] " + e.getMessage() + "\n" + source(), e);
      }
    });
  }

  private static OracleAccess access(
      Buffer[] buffers, long[] scalars, List<Operand.Memory> targets) {
    return new OracleAccess(buffers, scalars, targets);
  }

  private void map(Kernel.Map k, OracleAccess access) {
    var body = new TapeInterpreter(k.tape(), arithmetic);
    for (long point = 0; point < k.extents().product(); point++) {
      long[] index = index(k.extents(), point);
      long here = point;
      Object[] values = body.outputs(slot -> access.read(k.inputs().get(slot), index, here));
      for (int s = 0; s < k.stores().size(); s++) {
        access.write(k.stores().get(s), index, point, values[s]);
      }
    }
  }

  private void scan(Kernel.Scan k, OracleAccess access) {
    var body = new TapeInterpreter(k.tape(), arithmetic);
    int last = k.extents().size() - 1;
    long length = k.extents().get(last);
    long rows = length == 0 ? 0 : k.extents().product() / length;
    for (long row = 0; row < rows; row++) {
      var sum = new OracleReducer(k.op().operation(), k.tape().outputType(0));
      for (long i = 0; i < length; i++) {
        long point = row * length + (k.reverse() ? length - 1 - i : i);
        long[] index = index(k.extents(), point);
        Object before = sum.result();
        sum.add(body.output(0, slot -> access.read(k.inputs().get(slot), index, point)));
        access.write(k.target(), index, point, k.exclusive() ? before : sum.result());
      }
    }
  }

  private void recurrence(Kernel.Recurrence k, OracleAccess access) {
    var body = new TapeInterpreter(k.tape(), arithmetic);
    int count = k.targets().size();
    for (long lane = 0; lane < k.lanes(); lane++) {
      Object[] states = new Object[count];
      for (long t = 0; t < k.steps(); t++) {
        long step = k.reverse() ? k.steps() - 1 - t : t;
        long point = step * k.lanes() + lane;
        long[] index = {step, lane};
        if (t == 0) {
          for (int s = 0; s < count; s++) {
            states[s] = access.read(k.initial().get(s), index, -1);
          }
        }
        Object[] before = states;
        states =
            body.outputs(slot ->
                slot < count ? before[slot] : access.read(k.inputs().get(slot - count), index, -1));
        for (int s = 0; s < count; s++) {
          access.write(k.targets().get(s), index, point, states[s]);
        }
      }
    }
  }

  private void scatter(Kernel.Scatter k, OracleAccess access) {
    var body = new TapeInterpreter(k.tape(), arithmetic);
    if (k.op() == Kernel.Scatter.Operator.LAST) {
      var last = new TreeMap<Long, Object>();
      for (long point = 0; point < k.extents().product(); point++) {
        long[] index = index(k.extents(), point);
        long here = point;
        Object value = body.output(0, slot -> access.read(k.inputs().get(slot), index, here));
        last.put(access.element(k.target(), index), value);
      }
      last.forEach((element, value) -> access.write(k.target(), element, 0, value));
      return;
    }
    var sums = new TreeMap<Long, OracleReducer>();
    for (long point = 0; point < k.extents().product(); point++) {
      long[] index = index(k.extents(), point);
      long here = point;
      long element = access.element(k.target(), index);
      OracleReducer sum =
          sums.computeIfAbsent(
              element,
              _ -> {
                var start = new OracleReducer(k.op().operation().orElseThrow(), k.target().type());
                start.add(access.load(k.target(), element, 0));
                return start;
              });
      sum.add(body.output(0, slot -> access.read(k.inputs().get(slot), index, here)));
    }
    sums.forEach((element, sum) -> access.write(k.target(), element, 0, sum.result()));
  }

  private void product(Kernel.Product product, OracleAccess access) {
    switch (product) {
      case Kernel.Gemm k -> gemm(k, access);
      case Kernel.BlockGemm k -> blocks(k, access);
    }
  }

  private static void blocks(Kernel.BlockGemm k, OracleAccess access) {
    int bytes = (int) k.format().rowBytes(k.k());
    for (long j = 0; j < k.n(); j++) {
      var row = new byte[bytes];
      for (int b = 0; b < bytes; b++) {
        row[b] = ((Number) access.read(k.blocks(), new long[] {j, b}, -1)).byteValue();
      }
      var w = new float[(int) k.k()];
      BlockDecoder.decode(
          k.format(), MemorySegment.ofArray(row), 0, 0, w.length, MemorySegment.ofArray(w), 0);
      for (long i = 0; i < k.m(); i++) {
        double sum = 0;
        for (int l = 0; l < w.length; l++) {
          sum += w[l] * ((Number) access.read(k.a(), new long[] {i, l}, -1)).doubleValue();
        }
        access.write(k.c(), new long[] {i, j}, i * k.n() + j, (float) sum);
      }
    }
  }

  private void gemm(Kernel.Gemm k, OracleAccess access) {
    requireUnitStride(k.a(), k.m(), k.k());
    requireUnitStride(k.b(), k.k(), k.n());
    int rank = k.batch().size() + 2;
    if (k.c().map().strides().get(rank - 1) != 1 && k.n() != 1) {
      throw new AssertionError("the last stride of c is 1");
    }
    LongStream batch = LongStream.of(k.batch().toArray());
    Longs space = Longs.of(LongStream.concat(batch, LongStream.of(k.m(), k.n())).toArray());
    for (long point = 0; point < space.product(); point++) {
      long[] c = index(space, point);
      double sum = 0;
      for (long i = 0; i < k.k(); i++) {
        long[] a = c.clone();
        a[rank - 1] = i;
        long[] b = c.clone();
        b[rank - 2] = i;
        // Whatever is read of a or b is read for other elements of c as well: no place of its own.
        sum +=
            ((Number) access.read(k.a(), a, -1)).doubleValue()
                * ((Number) access.read(k.b(), b, -1)).doubleValue();
      }
      double start =
          k.beta() == 0 ? 0 : k.beta() * ((Number) access.read(k.c(), c, point)).doubleValue();
      double scale =
          k.scale().isEmpty() ? 1 : ((Number) access.read(k.scale().get(), c, point)).doubleValue();
      access.write(k.c(), c, point, k.alpha() * scale * sum + start);
    }
  }

  /** Operands and product are made in memory of their own. */
  private void fused(Kernel.FusedGemm k, Buffer[] buffers, long[] scalars) {
    Kernel.Product g = k.gemm();
    Buffer[] own = buffers.clone();
    k.left().ifPresent(map -> own[g.a().buffer()] = room(map, g.a()));
    k.right().ifPresent(map -> own[g.right().buffer()] = room(map, g.right()));
    k.left().ifPresent(map -> map(map, access(own, scalars, map.stores())));
    k.right().ifPresent(map -> map(map, access(own, scalars, map.stores())));
    if (k.after().isEmpty()) {
      product(g, access(own, scalars, List.of(g.c())));
      return;
    }
    Kernel.Map after = k.after().get();
    own[g.c().buffer()] = room(after, g.c());
    if (g.beta() != 0) {
      ((OracleBuffer) own[g.c().buffer()])
          .write(0, bytes(buffers[g.c().buffer()], own[g.c().buffer()].bytes()));
    }
    product(g, access(own, scalars, List.of(g.c())));
    OracleAccess products = access(own, scalars, List.of());
    OracleAccess rest = access(buffers, scalars, after.stores());
    var body = new TapeInterpreter(after.tape(), arithmetic);
    for (long point = 0; point < after.extents().product(); point++) {
      long[] index = index(after.extents(), point);
      long here = point;
      Object[] values =
          body.outputs(slot -> {
            Operand operand = after.inputs().get(slot);
            return (operand.equals(g.c()) ? products : rest).read(operand, index, here);
          });
      for (int s = 0; s < after.stores().size(); s++) {
        rest.write(after.stores().get(s), index, point, values[s]);
      }
    }
  }

  /** Memory for all that {@code m} reaches in the space of {@code map}. */
  private static Buffer room(Kernel.Map map, Operand.Memory m) {
    long reach = m.map().offset() + 1;
    for (int d = 0; d < map.extents().size(); d++) {
      reach += Math.max(0, m.map().strides().get(d) * (map.extents().get(d) - 1));
    }
    return new OracleDevice().allocate(reach * m.storage().bytes());
  }

  private static MemorySegment bytes(Buffer buffer, long size) {
    MemorySegment bytes = MemorySegment.ofArray(new long[(int) (size + 7) / 8]).asSlice(0, size);
    ((OracleBuffer) buffer).read(0, bytes);
    return bytes;
  }

  private static void requireUnitStride(Operand.Memory m, long rows, long columns) {
    Longs strides = m.map().strides();
    int rank = strides.size();
    boolean holds =
        strides.get(rank - 1) == 1 || strides.get(rank - 2) == 1 || rows == 1 || columns == 1;
    if (!holds) {
      throw new AssertionError("one of the last two strides is 1; got " + strides);
    }
  }

  private void sort(Kernel.Sort k, OracleAccess access) {
    int last = k.extents().size() - 1;
    long length = k.extents().get(last);
    long rows = length == 0 ? 0 : k.extents().product() / length;
    record Entry(Object value, long position) {}
    for (long row = 0; row < rows; row++) {
      var entries = new ArrayList<Entry>();
      for (long i = 0; i < length; i++) {
        entries.add(new Entry(access.read(k.input(), index(k.extents(), row * length + i), -1), i));
      }
      Comparator<Entry> order = Comparator.comparing(Entry::value, OracleLaunch::compare);
      entries.sort(
          Comparator.<Entry, Boolean>comparing(e -> isNan(e.value))
              .thenComparing(k.descending() ? order.reversed() : order));
      for (long i = 0; i < k.keep(); i++) {
        long[] target = index(k.extents(), row * length);
        target[last] = i;
        Entry entry = entries.get((int) (k.from() + i));
        store(access, k.values(), target, row * length + i, entry.value);
        store(access, k.indices(), target, row * length + i, entry.position);
      }
    }
  }

  private static void store(
      OracleAccess access,
      Optional<Operand.Memory> target,
      long[] index,
      long point,
      Object value) {
    target.ifPresent(memory -> access.write(memory, index, point, value));
  }

  private static boolean isNan(Object value) {
    return value instanceof Float f && f.isNaN() || value instanceof Double d && d.isNaN();
  }

  /** Compares like {@code <}: both zeros are equal. */
  private static int compare(Object a, Object b) {
    return switch (a) {
      case Boolean x -> Boolean.compare(x, (Boolean) b);
      case Float x -> Float.compare(x + 0f, (Float) b + 0f);
      case Double x -> Double.compare(x + 0d, (Double) b + 0d);
      default -> Long.compare(((Number) a).longValue(), ((Number) b).longValue());
    };
  }

  /** The index of point number {@code point}, row-major. */
  static long[] index(Longs extents, long point) {
    long[] index = new long[extents.size()];
    for (int d = index.length - 1; d >= 0; d--) {
      index[d] = extents.get(d) == 0 ? 0 : point % extents.get(d);
      point = extents.get(d) == 0 ? point : point / extents.get(d);
    }
    return index;
  }

  /** For kernels whose storage narrows what a typed tape yields. */
  static Object rounded(Object value, ScalarType type, Arithmetic arithmetic) {
    boolean wide = arithmetic == Arithmetic.DOUBLE && type == ScalarType.F32;
    return wide ? value : ScalarOps.convert(value, type);
  }
}
