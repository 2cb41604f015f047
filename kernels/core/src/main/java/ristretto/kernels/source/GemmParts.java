package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Tape;

/**
 * Elements of a product's operands and result, with the fused element-wise prologues and epilogue.
 */
final class GemmParts {
  private final Build build;
  private final Entry entry;
  private final Kernel.Product gemm;
  private final List<String> batch;

  /**
   * Creates the parts of one product.
   *
   * @param batch variables of the batch dimensions
   */
  GemmParts(Build build, Entry entry, Kernel.Product gemm, List<String> batch) {
    this.build = build;
    this.entry = entry;
    this.gemm = gemm;
    this.batch = batch;
  }

  /**
   * Returns the expression of an element of the left operand, after rendering the statements that
   * it needs.
   *
   * @param map prologue that computes the operand; empty if the operand is in memory
   */
  String left(Optional<Kernel.Map> map, String row, String column) {
    return element(gemm.a(), map, gemm.space(gemm.m(), gemm.k()), row, column);
  }

  /** Returns the expression of an element of the right operand, like {@link #left}. */
  String right(Optional<Kernel.Map> map, String row, String column) {
    return switch (gemm) {
      case Kernel.Gemm g -> element(g.b(), map, g.rightSpace(), row, column);
      case Kernel.BlockGemm g -> decoded(g, row, column);
    };
  }

  private String element(
      Operand.Memory operand, Optional<Kernel.Map> map, Longs space, String row, String column) {
    long[] extents = space.toArray();
    List<Operand> operands = map.isPresent() ? map.get().inputs() : List.of(operand);
    Reader reader = reader(extents, operands, row, column);
    if (map.isEmpty()) {
      return reader.input(operand);
    }
    Tape tape = build.lowered(map.get().tape());
    var body =
        new Body(
            entry.body, tape, build.functions, slot -> reader.input(map.get().inputs().get(slot)));
    body.emit(body.needed(tape.outputs()));
    return body.value(tape.outputs().get(0));
  }

  /** Element of the blocks' row {@code row}. */
  private String decoded(Kernel.BlockGemm blocks, String k, String row) {
    Code code = entry.body;
    BlockGemmSource.Text text = BlockGemmSource.Text.of(blocks, entry);
    int unit = BlockGemmSource.Text.unit(blocks.format());
    Affine map = blocks.blocks().map();
    String offset = entry.constant(map.offset());
    String stride = entry.constant(map.strides().get(0));
    code.line("const %s start = %s + %s * %s;".formatted(entry.index(), offset, row, stride));
    code.line("const %s unit = %s / %s;".formatted(entry.index(), k, unit));
    code.line("const i32 within = (i32) (%s %% %s);".formatted(k, unit));
    text.declareUnit(code, "start", "unit");
    text.declareElement(code, "within", k);
    return "value";
  }

  /** Returns the expression of the factor of the sums. */
  String factor() {
    return switch (gemm) {
      case Kernel.Gemm g ->
          entry.real(g.type(), g.alpha())
              + g.scale().map(v -> " * " + entry.scalar(v.type(), v.argument())).orElse("");
      case Kernel.BlockGemm _ -> "1";
    };
  }

  /**
   * Stores an element of the result.
   *
   * @param product the inner product with its factor
   */
  void store(Optional<Kernel.Map> after, String row, String column, String product) {
    String t = Literal.type(gemm.type());
    Operand.Memory c = gemm.c();
    var operands = new ArrayList<Operand>(after.map(Kernel.Map::inputs).orElse(List.of()));
    after.ifPresent(map -> operands.addAll(map.stores()));
    operands.add(c);
    Reader reader = reader(gemm.space(gemm.m(), gemm.n()).toArray(), operands, row, column);
    String result = product;
    if (gemm.beta() != 0) {
      String beta = entry.real(gemm.type(), gemm.beta());
      String before = after.isPresent() ? reader.input(c) : reader.written(c);
      result = "fma_" + t + "(" + beta + ", " + before + ", " + product + ")";
    }
    if (after.isEmpty()) {
      entry.body.line(reader.store(c, result));
      return;
    }
    Kernel.Map map = after.get();
    entry.body.line("const " + t + " product = " + result + ";");
    Tape tape = build.lowered(map.tape());
    var body =
        new Body(
            entry.body,
            tape,
            build.functions,
            slot -> {
              Operand operand = map.inputs().get(slot);
              return operand.equals(c) ? "product" : reader.input(operand);
            });
    body.emit(body.needed(tape.outputs()));
    for (int s = 0; s < map.stores().size(); s++) {
      entry.body.line(reader.store(map.stores().get(s), body.value(tape.outputs().get(s))));
    }
  }

  private Reader reader(
      long[] extents, List<? extends Operand> operands, String row, String column) {
    var alone = new BitSet();
    alone.set(0, extents.length);
    var variables = new ArrayList<>(batch);
    variables.addAll(List.of(row, column));
    return new Reader(
        entry, Space.of(extents, Space.maps(operands), alone, -1), extents, variables);
  }

  /** Like {@link #alongLast}, of the right operand. */
  static boolean rightAlongLast(Kernel.Product gemm, Optional<Kernel.Map> map) {
    return gemm instanceof Kernel.Gemm g && alongLast(g.b(), map);
  }

  /** Returns true if adjacent elements of the last axis are adjacent in the memory that is read. */
  static boolean alongLast(Operand.Memory operand, Optional<Kernel.Map> map) {
    List<? extends Operand> operands = map.isPresent() ? map.get().inputs() : List.of(operand);
    for (Operand o : operands) {
      if (o instanceof Operand.Memory m) {
        Longs strides = m.map().strides();
        int rank = strides.size();
        if (strides.get(rank - 1) == 1 || strides.get(rank - 2) == 1) {
          return strides.get(rank - 1) == 1;
        }
      }
    }
    return true;
  }
}
