package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Tape;

/**
 * Cumulative operations. A row belongs to one work item, or to the lanes of a group, one block
 * each: the lanes first sum their blocks, then compute the exclusive prefix of the block sums, then
 * scan their blocks.
 */
final class ScanSource {
  private static final int LONG_ROW = 512;

  private final Build build;
  private final Kernel.Scan kernel;
  private final Tape tape;
  private final Accumulator sum;
  private final Space space;
  private final long[] kept;
  private final long length;
  private Body body;
  private Reader reader;

  ScanSource(Build build, Kernel.Scan kernel) {
    this.build = build;
    this.kernel = kernel;
    this.tape = build.lowered(kernel.tape());
    this.sum =
        Accumulator.of(
            new Reduction(kernel.op().reduction(), tape.outputType(0), 0),
            build.target.wide(),
            build.functions);
    long[] extents = kernel.extents().toArray();
    var operands = new ArrayList<Operand>(kernel.inputs());
    operands.add(kernel.target());
    BitSet alone = Space.bounded(extents, kernel.inputs());
    alone.set(extents.length - 1);
    space = Space.of(extents, Space.maps(operands), alone, -1);
    kept = Arrays.copyOf(space.extents, space.extents.length - 1);
    length = space.extents[kept.length];
  }

  void render() {
    long rows = Build.product(kept);
    if (rows * length == 0) {
      return;
    }
    int most = build.target.rowGroup();
    while (most > 1 && (long) sum.bytes() * most > build.target.localBytes()) {
      most /= 2;
    }
    boolean many = length < LONG_ROW || rows >= 4L * build.target.units() * most;
    int lanes = many ? 1 : most;
    var shares = new Lanes(lanes, Lanes.rowsOf(build.target, rows, lanes, most), false, 1, length);
    Entry entry = build.entry("ristretto_scan");
    Code code = entry.body;
    shares.declareRow(entry, rows);
    String type = entry.index();
    String extent = entry.constant(length);
    var variables = new ArrayList<>(Reader.unravel(entry, code, "i", "row", kept));
    variables.add("j");
    reader = new Reader(entry, space, kernel.extents().toArray(), variables);
    body = new Body(code, tape, build.functions, slot -> reader.input(kernel.inputs().get(slot)));
    code.line("const " + type + " count = inside ? " + extent + " : 0;");
    code.line("const " + type + " block = (count + " + (lanes - 1) + ") / " + lanes + ";");
    code.line("const " + type + " first = lane * block;");
    code.line("const " + type + " end = first + block < count ? first + block : count;");
    sum.declare(code, "a");
    if (lanes > 1) {
      sumBlocks(entry, lanes);
    }
    loop(entry);
    String before = "a";
    if (kernel.exclusive()) {
      sum.declareCopy(code, "before", "a");
      before = "before";
    }
    add(code);
    code.line(reader.store(kernel.target(), sum.value(before)));
    code.close();
    build.groups(entry, Build.ceil(rows, shares.rows()), shares.group());
  }

  private void sumBlocks(Entry entry, int lanes) {
    Code code = entry.body;
    loop(entry);
    add(code);
    code.close();
    sum.declareLocal(entry, "t", lanes);
    sum.put(code, suffix -> "t" + suffix, "LANE", "a");
    code.line("BARRIER;");
    code.open("if (lane == 0)");
    sum.declare(code, "s");
    code.open("for (i32 k = 0; k < " + lanes + "; k++)");
    sum.declare(code, "here");
    sum.take(code, "here", "t", "k");
    sum.put(code, suffix -> "t" + suffix, "k", "s");
    sum.merge(code, "s", suffix -> "here" + suffix);
    code.close();
    code.close();
    code.line("BARRIER;");
    sum.take(code, "a", "t", "LANE");
  }

  private void loop(Entry entry) {
    String type = entry.index();
    entry.body.open("for (" + type + " p = first; p < end; p++)");
    entry.body.line("const " + type + " j = " + (kernel.reverse() ? "count - 1 - p" : "p") + ";");
    body.emit(body.needed(tape.outputs()));
  }

  private void add(Code code) {
    sum.add(code, "a", body.value(tape.outputs().getFirst()), "p");
  }
}
