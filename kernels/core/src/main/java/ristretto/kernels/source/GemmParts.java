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
  private final Kernel.Gemm gemm;
  private final List<String> batch;
  private final Kernel.BlockGemm blocks;

  /**
   * Creates the parts of one product.
   *
   * @param batch variables of the batch dimensions
   * @param blocks product whose right operand is in blocks; null for others
   */
  GemmParts(
      Build build, Entry entry, Kernel.Gemm gemm, List<String> batch, Kernel.BlockGemm blocks) {
    this.build = build;
    this.entry = entry;
    this.gemm = gemm;
    this.batch = batch;
    this.blocks = blocks;
  }

  /**
   * Returns the expression of an operand's element, after rendering the statements that it needs.
   *
   * @param map prologue that computes the operand; empty if the operand is in memory
   */
  String element(
      Operand.Memory operand,
      Optional<Kernel.Map> map,
      long rows,
      long columns,
      String row,
      String column) {
    if (operand == gemm.b() && blocks != null) {
      return decoded(row, column);
    }
    long[] extents = extents(rows, columns);
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
  private String decoded(String k, String row) {
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

  /**
   * Stores an element of the result.
   *
   * @param sum the inner product
   */
  void store(Optional<Kernel.Map> after, String row, String column, String sum) {
    String t = Literal.type(gemm.type());
    Operand.Memory c = gemm.c();
    var operands = new ArrayList<Operand>(after.map(Kernel.Map::inputs).orElse(List.of()));
    after.ifPresent(map -> operands.addAll(map.stores()));
    operands.add(c);
    Reader reader = reader(extents(gemm.m(), gemm.n()), operands, row, column);
    String product = "alpha * " + sum;
    if (gemm.beta() != 0) {
      String beta = entry.real(gemm.type(), gemm.beta());
      String before = after.isPresent() ? reader.input(c) : reader.written(c);
      product = "fma_" + t + "(" + beta + ", " + before + ", " + product + ")";
    }
    if (after.isEmpty()) {
      entry.body.line(reader.store(c, product));
      return;
    }
    Kernel.Map map = after.get();
    entry.body.line("const " + t + " product = " + product + ";");
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

  private long[] extents(long rows, long columns) {
    long[] all = java.util.Arrays.copyOf(gemm.batch().toArray(), gemm.batch().size() + 2);
    all[gemm.batch().size()] = rows;
    all[gemm.batch().size() + 1] = columns;
    return all;
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
