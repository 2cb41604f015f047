package ristretto.kernels.device;

import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.SpecialValues;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * A kernel of any kind with contents for its buffers, spelled by {@link Choices}. Its operations
 * and data are such that every correct device gets the same values: operations that IEEE defines to
 * the bit, and sums of small whole numbers.
 */
final class RandomKernel {
  private static final List<ScalarType> COMPUTE = List.of(F32, F64, I32, I64, BOOL);
  private static final List<Integer> EXTENTS = List.of(3, 1, 2, 5, 7, 16, 17, 33, 0, 64, 129);
  private static final List<Integer> LONG_EXTENTS = List.of(1000, 1024, 1025, 2048, 4099, 70_001);
  private static final int LARGEST_SPACE = 80_000;

  final Kernel kernel;
  final List<MemorySegment> contents = new ArrayList<>();
  final List<ScalarType> types = new ArrayList<>();
  long[] scalars = {};

  private final Choices choices;
  private TapeBuilder tape = new TapeBuilder();
  private List<Operand> inputs = new ArrayList<>();
  private long[] extents;

  RandomKernel(List<Integer> numbers) {
    choices = new Choices(numbers);
    int kind = choices.next(13);
    extents = extents(kind == 7 || kind == 11 ? 2 : List.of(6, 8, 12).contains(kind) ? 1 : 0);
    kernel =
        switch (kind) {
          case 0, 1, 2 -> map();
          case 3, 4, 5 -> row();
          case 6 -> scan();
          case 7 -> choices.oneIn(3) ? scatter() : choices.oneIn(3) ? blocks() : gemm();
          case 8 -> sort();
          case 9 -> fused(choices.oneIn(3) ? blocks() : gemm());
          case 10 -> new RandomConvolution(choices, this::buffer).kernel();
          case 11 -> recurrence();
          default -> fourier();
        };
  }

  private long[] extents(int least) {
    int rank = Math.max(least, choices.of(List.of(2, 1, 3, 4, 0)));
    long[] e = new long[rank];
    long product = 1;
    for (int d = rank - 1; d >= 0; d--) {
      e[d] = choices.of(d == rank - 1 && choices.oneIn(4) ? LONG_EXTENTS : EXTENTS);
      if (product * e[d] > LARGEST_SPACE) {
        e[d] = 1;
      }
      product *= Math.max(1, e[d]);
    }
    return e;
  }

  // ---- operands -----------------------------------------------------------------------------

  /** A new buffer holding what {@code space} (with strides from {@code layout}) addresses. */
  private int buffer(ScalarType type, long elements, TestData.Kind kind, int bound) {
    contents.add(new TestData(type, elements, kind, contents.size()).content(bound));
    types.add(type);
    return contents.size() - 1;
  }

  /**
   * Strides of distinct elements for {@code e}: permuted, stepped, reversed; the result's offset
   * makes all fit.
   */
  private Affine layout(long[] e, long[] elements) {
    var order = new ArrayList<Integer>();
    for (int d = 0; d < e.length; d++) {
      order.add(choices.oneIn(4) ? 0 : order.size(), d);
    }
    long[] strides = new long[e.length];
    long size = 1;
    long offset = choices.oneIn(4) ? choices.next(5) : 0;
    for (int k = order.size() - 1; k >= 0; k--) {
      int d = order.get(k);
      int step = choices.oneIn(5) ? 1 + choices.next(3) : 1;
      strides[d] = size * step;
      size *= Math.max(1, (e[d] - 1) * step + 1);
      if (choices.oneIn(6)) {
        size += choices.next(3);
      }
      if (choices.oneIn(6)) {
        offset += Math.max(0, e[d] - 1) * strides[d];
        strides[d] = -strides[d];
      }
    }
    elements[0] = size + offset;
    return new Affine(offset, Longs.of(strides));
  }

  private Operand.Memory input(ScalarType storage, TestData.Kind kind) {
    long[] e = extents.clone();
    boolean[] broadcast = new boolean[e.length];
    for (int d = 0; d < e.length; d++) {
      if (choices.oneIn(5)) {
        broadcast[d] = true;
        e[d] = 1;
      }
    }
    var bounds = new ArrayList<Operand.Bound>();
    int gathered = -1;
    int special = e.length == 0 ? 0 : choices.next(8);
    int dim = e.length == 0 ? 0 : choices.next(e.length);
    if (special == 6 && !broadcast[dim]) {
      long from = choices.next(4);
      long to = Math.max(from, extents[dim] - choices.next(4));
      bounds.add(new Operand.Bound(dim, from, to));
      e[dim] = to - from;
    } else if (special == 7 && !broadcast[dim]) {
      gathered = dim;
      e[dim] = 1 + choices.next(9);
    }
    long[] elements = {0};
    Affine fit = layout(e, elements);
    long[] strides = fit.strides().toArray();
    long offset = fit.offset();
    for (Operand.Bound bound : bounds) {
      offset -= bound.from() * strides[dim];
    }
    Optional<Operand.Gather> gather = Optional.empty();
    if (gathered >= 0) {
      ScalarType type = choices.of(List.of(I32, I64));
      int indices = buffer(type, Math.max(1, extents[dim]), TestData.Kind.INDEX, (int) e[dim]);
      long[] map = new long[e.length];
      map[dim] = 1;
      gather =
          Optional.of(
              new Operand.Gather(
                  type, indices, new Affine(0, Longs.of(map)), strides[dim], e[dim]));
      strides[dim] = 0;
    }
    for (int d = 0; d < e.length; d++) {
      strides[d] = broadcast[d] ? 0 : strides[d];
    }
    int argument = buffer(storage, elements[0], kind, 0);
    return new Operand.Memory(
        storage, argument, new Affine(offset, Longs.of(strides)), gather, bounds);
  }

  /** Distinct elements over {@code e}, in a buffer that holds something already. */
  private Operand.Memory target(ScalarType storage, long[] e) {
    long[] elements = {0};
    Affine map = layout(e, elements);
    return new Operand.Memory(storage, buffer(storage, elements[0], TestData.Kind.SMALL, 0), map);
  }

  private ScalarType storage(ScalarType compute) {
    return switch (compute) {
      case I32 ->
          choices.of(
              List.of(I32, I32, ScalarType.I8, ScalarType.U8, ScalarType.I16, ScalarType.U16));
      case I64 -> choices.of(List.of(I64, I64, ScalarType.U32));
      case F32 -> choices.of(List.of(F32, F32, ScalarType.F16, ScalarType.BF16));
      default -> compute;
    };
  }

  private int addInput(ScalarType compute, TestData.Kind kind) {
    Operand operand =
        switch (choices.next(8)) {
          case 6 -> {
            var all = new ArrayList<Object>(SpecialValues.of(compute));
            Object value =
                kind == TestData.Kind.SPECIAL ? choices.of(all) : ScalarOps.convert(2, compute);
            long[] more = Arrays.copyOf(scalars, scalars.length + 1);
            more[scalars.length] = ScalarOps.bits(value);
            scalars = more;
            yield new Operand.Value(compute, scalars.length - 1);
          }
          case 7 -> {
            if (compute != I32 && compute != I64) {
              yield input(storage(compute), kind);
            }
            long[] strides = new long[extents.length];
            for (int d = 0; d < strides.length; d++) {
              strides[d] = kind == TestData.Kind.SPECIAL ? choices.next(5) - 2 : 0;
            }
            yield new Operand.Index(compute, new Affine(choices.next(9) - 4, Longs.of(strides)));
          }
          default -> input(storage(compute), kind);
        };
    inputs.add(operand);
    return tape.input(inputs.size() - 1, compute);
  }

  // ---- kernels ------------------------------------------------------------------------------

  private Kernel map() {
    var body = new RandomBody(tape, choices);
    for (int k = choices.next(4); k >= 0; k--) {
      body.add(addInput(choices.of(COMPUTE), TestData.Kind.SPECIAL));
    }
    for (int k = choices.next(12); k > 0; k--) {
      body.grow();
    }
    int count = 1 + (choices.oneIn(3) ? choices.next(3) : 0);
    int[] outputs = new int[count];
    var stores = new ArrayList<Operand.Memory>();
    for (int k = 0; k < count; k++) {
      outputs[k] = body.pick();
      ScalarType type = tape.type(outputs[k]);
      Operand.Memory inPlace = choices.oneIn(4) ? inPlace(type, stores) : null;
      stores.add(inPlace != null ? inPlace : target(storage(type), extents));
    }
    return new Kernel.Map("map_" + hash(), Longs.of(extents), tape.build(outputs), inputs, stores);
  }

  /** An input that may be overwritten: distinct elements, all of them read. */
  private Operand.Memory inPlace(ScalarType type, List<Operand.Memory> taken) {
    for (Operand input : inputs) {
      if (input instanceof Operand.Memory m
          && m.type() == type
          && m.gather().isEmpty()
          && m.bounds().isEmpty()
          && taken.stream().noneMatch(t -> t.buffer() == m.buffer())) {
        boolean distinct = true;
        for (int d = 0; d < extents.length; d++) {
          distinct &= m.map().strides().get(d) != 0 || extents[d] <= 1;
        }
        if (distinct) {
          return m;
        }
      }
    }
    return null;
  }

  private Kernel row() {
    int kept = choices.next(extents.length + 1);
    ScalarType type = choices.of(List.of(F32, F64, I32, I64));
    TestData.Kind data = choices.oneIn(4) ? TestData.Kind.UNITS : TestData.Kind.SMALL;
    int x = addInput(type, data);
    int value = x;
    for (int k = choices.next(3); k > 0; k--) {
      value = tape.apply(choices.of(List.of(Op.ADD, Op.SUB, Op.MUL)), value, addInput(type, data));
    }
    if (data == TestData.Kind.UNITS && value != x) {
      value = x;
    }
    var outputs = new ArrayList<Integer>();
    var reductions = new ArrayList<Reduction>();
    var results = new ArrayList<Integer>();
    int inputCount = inputs.size();
    long length = 1;
    for (int d = kept; d < extents.length; d++) {
      length *= extents[d];
    }
    for (int k = choices.next(3); k >= 0; k--) {
      Reduction r = reduction(type, value, data, length, outputs, k);
      reductions.add(r);
      results.add(tape.input(inputCount + reductions.size() - 1, r.resultType()));
      boolean extreme = r.kind() == Reduction.Kind.MAX || r.kind() == Reduction.Kind.MIN;
      if (extreme && r.type() == type && choices.oneIn(2)) {
        value = tape.apply(Op.SUB, value, results.getLast());
      }
    }
    var stores = new ArrayList<Kernel.Store>();
    for (int result : results) {
      int stored =
          choices.oneIn(3) && tape.type(result) != BOOL ? tape.apply(Op.NEG, result) : result;
      outputs.add(stored);
      stores.add(
          new Kernel.Store(outputs.size() - 1, perRow(storage(tape.type(stored)), kept), true));
    }
    if (choices.oneIn(2)) {
      int last = results.getLast();
      int stored = tape.type(last) == type ? tape.apply(Op.SUB, x, last) : value;
      outputs.add(stored);
      stores.add(new Kernel.Store(outputs.size() - 1, target(storage(type), extents), false));
    }
    return new Kernel.Row(
        "row_" + hash(),
        Longs.of(extents),
        kept,
        tape.build(outputs.stream().mapToInt(r -> r).toArray()),
        inputs,
        reductions,
        stores);
  }

  private Reduction reduction(
      ScalarType type,
      int value,
      TestData.Kind data,
      long length,
      List<Integer> outputs,
      int salt) {
    var kinds =
        new ArrayList<>(List.of(Reduction.Kind.SUM, Reduction.Kind.MAX, Reduction.Kind.MIN));
    kinds.addAll(
        List.of(
            Reduction.Kind.ROW_SUM, Reduction.Kind.ANY, Reduction.Kind.ALL, Reduction.Kind.LAMBDA));
    if (length > 0) {
      kinds.addAll(List.of(Reduction.Kind.ARGMAX, Reduction.Kind.ARGMIN));
    }
    if (data == TestData.Kind.UNITS || !type.isFloat()) {
      kinds.add(Reduction.Kind.PROD);
    }
    Reduction.Kind kind = choices.of(kinds);
    boolean logical = kind == Reduction.Kind.ANY || kind == Reduction.Kind.ALL;
    outputs.add(logical ? tape.apply(Op.GT, value, tape.constant(type, salt * 3)) : value);
    if (kind != Reduction.Kind.LAMBDA) {
      return new Reduction(kind, logical ? BOOL : type, outputs.size() - 1);
    }
    var combine = new TapeBuilder();
    int a = combine.input(0, type);
    int b = combine.input(1, type);
    boolean add = choices.oneIn(2);
    int both =
        add
            ? combine.apply(Op.ADD, a, b)
            : combine.apply(Op.SELECT, combine.apply(Op.GT, a, b), a, b);
    Object identity = ScalarOps.convert(add ? 0 : -100_000_000, type);
    return new Reduction(
        kind, type, outputs.size() - 1, Optional.of(combine.build(both)), ScalarOps.bits(identity));
  }

  private Operand.Memory perRow(ScalarType storage, int kept) {
    Operand.Memory rows = target(storage, Arrays.copyOf(extents, kept));
    long[] strides = Arrays.copyOf(rows.map().strides().toArray(), extents.length);
    return new Operand.Memory(
        storage, rows.buffer(), new Affine(rows.map().offset(), Longs.of(strides)));
  }

  private Kernel scan() {
    ScalarType type = choices.of(List.of(F32, F64, I32, I64));
    var op =
        choices.of(
            List.of(
                Kernel.Scan.Operator.ADD,
                Kernel.Scan.Operator.MAX,
                Kernel.Scan.Operator.MIN,
                Kernel.Scan.Operator.MUL));
    int x =
        addInput(type, op == Kernel.Scan.Operator.MUL ? TestData.Kind.UNITS : TestData.Kind.SMALL);
    int value = choices.oneIn(2) ? tape.apply(Op.NEG, x) : x;
    if (op == Kernel.Scan.Operator.MUL && inputs.getFirst() instanceof Operand.Value) {
      value = tape.constant(type, 1);
    }
    return new Kernel.Scan(
        "scan_" + hash(),
        Longs.of(extents),
        op,
        choices.oneIn(2),
        choices.oneIn(3),
        tape.build(value),
        inputs,
        target(storage(type), extents));
  }

  /** Sums of the inputs so far, and perhaps the largest of these sums. */
  private Kernel recurrence() {
    ScalarType type = choices.of(List.of(F32, F64, I32, I64));
    int count = 1 + choices.next(2);
    extents = Arrays.copyOfRange(extents, extents.length - 2, extents.length);
    int[] states = new int[count];
    var initial = new ArrayList<Operand>();
    var targets = new ArrayList<Operand.Memory>();
    for (int k = 0; k < count; k++) {
      states[k] = tape.input(k, type);
      Operand.Memory lanes = target(type, new long[] {1, extents[1]});
      long lane = lanes.map().strides().get(1);
      var map = new Affine(lanes.map().offset(), Longs.of(0, lane));
      initial.add(new Operand.Memory(type, lanes.buffer(), map));
      targets.add(target(type, extents));
    }
    inputs.add(target(type, extents));
    int sum = tape.apply(Op.ADD, states[0], tape.input(count, type));
    int[] outputs = {sum, tape.apply(Op.MAX, states[count - 1], sum)};
    return new Kernel.Recurrence(
        "recurrence_" + hash(),
        extents[0],
        extents[1],
        choices.oneIn(2),
        tape.build(Arrays.copyOf(outputs, count)),
        inputs,
        initial,
        targets);
  }

  /** Transform of a length whose roots of unity are whole numbers, so that results are exact. */
  private Kernel fourier() {
    ScalarType type = choices.of(List.of(F32, F64));
    extents[extents.length - 1] = choices.of(List.of(2L, 4L));
    boolean periodic = choices.oneIn(2);
    long[] results = extents.clone();
    results[results.length - 1] += periodic ? 1 : 0;
    Operand.Memory re = target(type, extents);
    Operand.Memory to = target(type, results);
    return new Kernel.Fourier(
        "fourier_" + hash(),
        type,
        Longs.of(extents),
        choices.oneIn(2),
        periodic,
        choices.of(List.of(1.0, 0.25)),
        re,
        choices.oneIn(3) ? Optional.empty() : Optional.of(like(re)),
        to,
        like(to));
  }

  /** Another buffer with the layout of an operand. */
  private Operand.Memory like(Operand.Memory m) {
    ScalarType type = m.storage();
    long elements = contents.get(m.buffer()).byteSize() / type.bytes();
    return new Operand.Memory(type, buffer(type, elements, TestData.Kind.SMALL, 0), m.map());
  }

  private Kernel scatter() {
    ScalarType type = choices.of(List.of(F32, F64, I32, I64));
    int value = addInput(type, TestData.Kind.SMALL);
    int dim = choices.next(extents.length);
    long[] e = extents.clone();
    e[dim] = 1 + choices.next(9);
    Operand.Memory target = target(type, e);
    long[] strides = target.map().strides().toArray();
    ScalarType indexType = choices.of(List.of(I32, I64));
    long[] map = new long[extents.length];
    map[dim] = 1;
    int indices = buffer(indexType, Math.max(1, extents[dim]), TestData.Kind.INDEX, (int) e[dim]);
    var gather =
        new Operand.Gather(indexType, indices, new Affine(0, Longs.of(map)), strides[dim], e[dim]);
    strides[dim] = 0;
    return new Kernel.Scatter(
        "scatter_" + hash(),
        Longs.of(extents),
        tape.build(value),
        inputs,
        new Operand.Memory(
            type,
            target.buffer(),
            new Affine(target.map().offset(), Longs.of(strides)),
            Optional.of(gather),
            List.of()));
  }

  private Kernel.Gemm gemm() {
    ScalarType type = choices.of(List.of(F32, F64));
    long[] batch = choices.oneIn(3) ? new long[] {1 + choices.next(3)} : new long[0];
    long m = choices.of(EXTENTS);
    long n = choices.of(EXTENTS);
    long k = choices.of(EXTENTS);
    double beta = choices.of(List.of(0.0, 1.0, -2.0));
    Operand.Memory c =
        matrix(type, batch, m, n, false, beta == 0 ? TestData.Kind.POISON : TestData.Kind.SMALL);
    return new Kernel.Gemm(
        "gemm_" + hash(),
        type,
        Longs.of(batch),
        m,
        n,
        k,
        matrix(type, batch, m, k, choices.oneIn(2), TestData.Kind.SMALL),
        matrix(type, batch, k, n, choices.oneIn(2), TestData.Kind.SMALL),
        c,
        choices.of(List.of(1.0, 2.0, -0.5)),
        beta);
  }

  /** Product with blocks whose scales are 1, so that sums are exact. */
  private Kernel.BlockGemm blocks() {
    BlockFormat format = choices.of(List.of(BlockFormat.values()));
    long[] none = new long[0];
    long m = choices.of(EXTENTS);
    long n = choices.of(EXTENTS);
    long k = format == BlockFormat.I8 ? choices.of(EXTENTS) : choices.next(3) * format.length();
    long bytes = format.rowBytes(k);
    Operand.Memory blocks = matrix(ScalarType.U8, none, n, bytes, false, TestData.Kind.SMALL);
    Affine map = blocks.map();
    MemorySegment content = contents.get(blocks.buffer());
    for (long row = 0; row < n; row++) {
      long at = map.offset() + row * map.strides().get(0);
      if (format == BlockFormat.I8) {
        content.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, 1);
      }
      for (long block = 0; format != BlockFormat.I8 && block < k / format.length(); block++) {
        long scale = at + block * format.bytes() + (format == BlockFormat.Q6_K ? 208 : 0);
        content.set(ValueLayout.JAVA_SHORT_UNALIGNED, scale, Float.floatToFloat16(1));
        if (format == BlockFormat.Q4_K) {
          content.set(ValueLayout.JAVA_SHORT_UNALIGNED, scale + 2, Float.floatToFloat16(1));
        }
      }
    }
    return new Kernel.BlockGemm(
        "blocks_" + hash(),
        format,
        m,
        n,
        k,
        matrix(F32, none, m, k, false, TestData.Kind.SMALL),
        blocks,
        matrix(F32, none, m, n, false, TestData.Kind.POISON));
  }

  /** Sums of small whole numbers on both sides and after it. */
  private Kernel fused(Kernel.Product g) {
    boolean dense = g instanceof Kernel.Gemm;
    int parts = dense ? 1 + choices.next(7) : List.of(1, 4, 5).get(choices.next(3));
    Optional<Kernel.Map> left = around(parts & 1, g, g.m(), g.k(), Optional.of(g.a()));
    Optional<Kernel.Map> right = around(parts & 2, g, g.k(), g.n(), Optional.of(g.right()));
    Optional<Kernel.Map> after = around(parts & 4, g, g.m(), g.n(), Optional.empty());
    return new Kernel.FusedGemm("fused_" + hash(), g, left, right, after);
  }

  /** A map that makes an operand, or one that reads the product. */
  private Optional<Kernel.Map> around(
      int wanted, Kernel.Product g, long rows, long columns, Optional<Operand.Memory> made) {
    if (wanted == 0) {
      return Optional.empty();
    }
    extents = Arrays.copyOf(g.batch().toArray(), g.batch().size() + 2);
    extents[g.batch().size()] = rows;
    extents[g.batch().size() + 1] = columns;
    tape = new TapeBuilder();
    inputs = new ArrayList<>();
    int value;
    if (made.isPresent()) {
      value = addInput(g.type(), TestData.Kind.SMALL);
      // What is made repeats where the operand does.
      inputs.set(0, repeating(inputs.getFirst(), made.get()));
    } else {
      inputs.add(g.c());
      value = tape.input(0, g.type());
      int more = addInput(g.type(), TestData.Kind.SMALL);
      value = tape.apply(choices.of(List.of(Op.ADD, Op.SUB, Op.MAX)), value, more);
    }
    if (choices.oneIn(2)) {
      value = tape.apply(choices.of(List.of(Op.NEG, Op.ABS)), value);
    }
    if (made.isPresent()) {
      return Optional.of(
          new Kernel.Map(
              "part", Longs.of(extents), tape.build(value), inputs, List.of(made.get())));
    }
    var stores = new ArrayList<Operand.Memory>();
    stores.add(choices.oneIn(3) ? g.c() : target(g.type(), extents));
    int[] outputs = {value};
    if (choices.oneIn(3)) {
      outputs = new int[] {value, tape.input(0, g.type())};
      stores.add(target(g.type(), extents));
    }
    return Optional.of(
        new Kernel.Map("part", Longs.of(extents), tape.build(outputs), inputs, stores));
  }

  private static Operand repeating(Operand operand, Operand.Memory made) {
    if (!(operand instanceof Operand.Memory m)) {
      return operand;
    }
    long[] strides = m.map().strides().toArray();
    for (int d = 0; d < strides.length - 2; d++) {
      strides[d] = made.map().strides().get(d) == 0 ? 0 : strides[d];
    }
    return new Operand.Memory(
        m.storage(),
        m.buffer(),
        new Affine(m.map().offset(), Longs.of(strides)),
        m.gather(),
        m.bounds());
  }

  private Operand.Memory matrix(
      ScalarType type,
      long[] batch,
      long rows,
      long columns,
      boolean transposed,
      TestData.Kind kind) {
    long pad = choices.oneIn(3) ? choices.next(4) : 0;
    long lead = Math.max(1, (transposed ? rows : columns) + pad);
    long size = lead * Math.max(1, transposed ? columns : rows);
    long offset = choices.oneIn(4) ? choices.next(3) : 0;
    boolean broadcast = kind == TestData.Kind.SMALL && transposed && choices.oneIn(2);
    long[] strides = new long[batch.length + 2];
    if (batch.length > 0) {
      strides[0] = broadcast ? 0 : size;
    }
    strides[batch.length] = transposed ? 1 : lead;
    strides[batch.length + 1] = transposed ? lead : 1;
    long matrices = batch.length == 0 ? 1 : batch[0];
    int buffer = buffer(type, offset + size * matrices, kind, 0);
    return new Operand.Memory(type, buffer, new Affine(offset, Longs.of(strides)));
  }

  private Kernel sort() {
    ScalarType type = storage(choices.of(List.of(F32, F64, I32, I64)));
    long[] elements = {0};
    Affine layout = layout(extents, elements);
    // Small numbers have ties, special ones NaN and both zeros.
    TestData.Kind data = choices.of(List.of(TestData.Kind.SMALL, TestData.Kind.SPECIAL));
    var x = new Operand.Memory(type, buffer(type, elements[0], data, 0), layout);
    int last = extents.length - 1;
    long keep = choices.oneIn(2) ? extents[last] : choices.next((int) extents[last] + 1);
    long[] kept = extents.clone();
    kept[last] = keep;
    boolean both = choices.oneIn(2);
    boolean values = both || choices.oneIn(2);
    return new Kernel.Sort(
        "sort_" + hash(),
        Longs.of(extents),
        choices.oneIn(2),
        choices.oneIn(2) ? 0 : extents[extents.length - 1] - keep,
        keep,
        x,
        values ? Optional.of(target(type, kept)) : Optional.empty(),
        both || !values ? Optional.of(target(I64, kept)) : Optional.empty());
  }

  private String hash() {
    return Integer.toHexString(inputs.hashCode());
  }
}
