package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Element-wise kernels for GPUs. A work item computes several points along the last dimension:
 * adjacent ones if memory is read in vectors, and further ones at the distance of a group. All
 * loads of a work item are issued before the first use. Groups loop over the space, so that their
 * number stays within the limits of the device.
 */
final class MapTiles {
  /**
   * Limit on tape rows times points of a work item, so that the code fits into registers and
   * caches.
   */
  private static final int MOST_CODE = 1024;

  /** Limit on the elements that a work item loads before their first use. */
  private static final int MOST_READ = 64;

  /** Groups per compute unit: enough to keep a unit busy while some of them start and end. */
  private static final long GROUPS_A_UNIT = 64;

  private final Build build;
  private final Kernel.Map kernel;
  private final Tape tape;
  private final Space space;
  private final Vectors vectors;
  private final Entry entry;
  private final Code code;
  private final String type;

  /** Adjacent points per work item, and the number of repetitions at the distance of a group. */
  private final int width;

  private final int times;

  MapTiles(Build build, Kernel.Map kernel, Tape tape, Space space) {
    this.build = build;
    this.kernel = kernel;
    this.tape = tape;
    this.space = space;
    entry = build.entry("ristretto_map");
    code = entry.body;
    type = entry.index();
    long[] full = kernel.extents().toArray();
    Vectors found = Vectors.of(space, full, kernel.inputs(), kernel.stores());
    boolean fits = found.width * tape.size() <= MOST_CODE && read() * found.width <= MOST_READ;
    vectors = fits ? found : Vectors.of(space, full, List.of(), List.of());
    width = vectors.width;
    times = times();
  }

  private int read() {
    return (int) kernel.inputs().stream().filter(o -> o instanceof Operand.Memory).count();
  }

  /**
   * Returns the number of repetitions: more than one only for long rows, because short ones leave
   * too few work items.
   */
  private int times() {
    int most = width > 1 ? (space.extents.length == 1 ? 2 : 1) : 4;
    while (most > 1
        && (most * width * tape.size() > MOST_CODE
            || most * width * read() > MOST_READ
            || inner() < 4L * build.target.mapGroup() * most * width)) {
      most /= 2;
    }
    return most;
  }

  private long inner() {
    return space.extents[space.extents.length - 1];
  }

  void render() {
    int last = space.extents.length - 1;
    List<String> variables = openOuter(last);
    String extent = entry.constant(inner());
    String tile = "(" + type + ") SIZE(0) * " + width * times;
    code.open(
        String.format(
            Locale.ROOT,
            "for (%1$s tile = (%1$s) GROUP(0) * (%2$s); tile < %3$s; tile += (%1$s) GROUPS(0) *"
                + " (%2$s))",
            type,
            tile,
            extent));
    var atVariables = new ArrayList<>(variables);
    atVariables.add("at");
    var whole = reader(atVariables);
    variables.add("i" + last);
    var single = reader(variables);
    Body body = new Body(code, tape, build.functions, slot -> input(slot, single));
    load(whole, single, extent);
    store(whole, single, body, extent);
    code.close();
    for (int k = 0; k < Math.min(last, 2); k++) {
      code.close();
    }
    launch();
  }

  private Reader reader(List<String> variables) {
    return new Reader(entry, space, kernel.extents().toArray(), variables);
  }

  /** Opens loops over all dimensions but the last; the outer ones are joined into one loop. */
  private List<String> openOuter(int last) {
    var variables = new ArrayList<String>();
    if (last >= 2) {
      long[] outer = Arrays.copyOf(space.extents, last - 1);
      loop("iz", 2, entry.constant(Build.product(outer)));
      variables.addAll(Reader.unravel(entry, code, "i", "iz", outer));
    }
    if (last >= 1) {
      String variable = "i" + (last - 1);
      loop(variable, 1, entry.constant(space.extents[last - 1]));
      variables.add(variable);
    }
    return variables;
  }

  private void loop(String variable, int d, String extent) {
    code.open(
        String.format(
            Locale.ROOT,
            "for (%1$s %2$s = (%1$s) POINT(%3$d); %2$s < %4$s; %2$s += (%1$s) POINTS(%3$d))",
            type,
            variable,
            d,
            extent));
  }

  /** Opens the loop over the repetitions, at index {@code at}. */
  private void open(String extent) {
    code.line("UNROLL");
    code.open("for (i32 u = 0; u < " + times + "; u++)");
    code.line(
        String.format(
            Locale.ROOT,
            "const %1$s at = tile + (u * (%1$s) SIZE(0) + (%1$s) LANE) * %2$d;",
            type,
            width));
    code.open("if (at < " + extent + ")");
  }

  private void load(Reader whole, Reader single, String extent) {
    List<Integer> slots = slots();
    for (int slot : slots) {
      Operand.Memory m = (Operand.Memory) kernel.inputs().get(slot);
      String element = vectors.covers(m) ? vector(m.storage()) : Literal.type(m.type());
      code.line(element + " x" + slot + "[" + times + "];");
    }
    if (slots.isEmpty()) {
      return;
    }
    open(extent);
    if (width == 1) {
      code.line("const " + type + " i" + (space.extents.length - 1) + " = at;");
    }
    for (int slot : slots) {
      Operand.Memory m = (Operand.Memory) kernel.inputs().get(slot);
      code.line(
          "x"
              + slot
              + "[u] = "
              + (vectors.covers(m) ? pack(whole, m, false) : single.input(m))
              + ";");
    }
    code.close();
    code.close();
  }

  /** Returns the input slots that are loaded before any computation. */
  private List<Integer> slots() {
    var slots = new ArrayList<Integer>();
    for (int slot = 0; slot < kernel.inputs().size(); slot++) {
      if (kernel.inputs().get(slot) instanceof Operand.Memory m
          && (width == 1 || vectors.covers(m))) {
        slots.add(slot);
      }
    }
    return slots;
  }

  private String vector(ScalarType storage) {
    return build.functions.vector(storage, width);
  }

  /** Returns the expression of adjacent elements in memory as one vector. */
  private String pack(Reader whole, Operand.Memory m, boolean written) {
    String pointer = entry.memory(m.storage(), m.buffer(), written);
    String qualifier = written ? "" : "const ";
    return "*(GLOBAL %s%s*) (%s + %s)"
        .formatted(qualifier, vector(m.storage()), pointer, whole.element(m));
  }

  private String input(int slot, Reader single) {
    Operand operand = kernel.inputs().get(slot);
    if (operand instanceof Operand.Memory m) {
      if (vectors.covers(m)) {
        return Reader.widened(m.storage(), "x" + slot + "[u].at[q]");
      }
      if (width == 1) {
        return "x" + slot + "[u]";
      }
    }
    return single.input(operand);
  }

  private void store(Reader whole, Reader single, Body body, String extent) {
    BitSet rows = body.needed(tape.outputs());
    List<Operand.Memory> stores = kernel.stores();
    String i = "i" + (space.extents.length - 1);
    open(extent);
    if (width == 1) {
      code.line("const " + type + " " + i + " = at;");
      body.emit(rows);
      for (int s = 0; s < stores.size(); s++) {
        code.line(single.store(stores.get(s), body.value(tape.outputs().get(s))));
      }
    } else {
      for (int s = 0; s < stores.size(); s++) {
        code.line(vector(stores.get(s).storage()) + " y" + s + ";");
      }
      code.line("UNROLL");
      code.open("for (i32 q = 0; q < " + width + "; q++)");
      code.line("const " + type + " " + i + " = at + q;");
      body.emit(rows);
      for (int s = 0; s < stores.size(); s++) {
        String value = body.value(tape.outputs().get(s));
        code.line("y" + s + ".at[q] = " + Reader.narrowed(stores.get(s).storage(), value) + ";");
      }
      code.close();
      for (int s = 0; s < stores.size(); s++) {
        code.line(pack(whole, stores.get(s), true) + " = y" + s + ";");
      }
    }
    code.close();
    code.close();
  }

  private void launch() {
    int last = space.extents.length - 1;
    long x = Build.ceil(inner(), (long) width * times);
    long y = last >= 1 ? space.extents[last - 1] : 1;
    long z = last >= 2 ? Build.product(Arrays.copyOf(space.extents, last - 1)) : 1;
    long group = build.target.mapGroup();
    // Groups extend along y if points adjacent in y read adjacent memory and points adjacent in x
    // do not.
    boolean across = last >= 1 && x >= 16 && y >= 8 && readsAcross(last);
    long gx = across ? 32 : Build.share(x, group);
    long gy = across ? 8 : Build.share(y, group / gx);
    long gz = Build.share(z, Math.min(64, group / gx / gy));
    long most = last == 0 ? GROUPS_A_UNIT * build.target.units() : Integer.MAX_VALUE;
    build.grid(
        entry,
        List.of(
            Math.min(Build.ceil(x, gx), most),
            build.limited(Build.ceil(y, gy)),
            build.limited(Build.ceil(z, gz))),
        List.of(gx, gy, gz));
  }

  /**
   * Returns true if an input is contiguous along the last dimension but one and not along the last.
   */
  private boolean readsAcross(int last) {
    for (Operand operand : kernel.inputs()) {
      if (operand instanceof Operand.Memory m && m.gather().isEmpty()) {
        long[] strides = space.strides(m.map());
        if (Math.abs(strides[last]) > 1 && Math.abs(strides[last - 1]) == 1) {
          return true;
        }
      }
    }
    return false;
  }
}
