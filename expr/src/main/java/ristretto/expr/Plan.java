package ristretto.expr;

import java.nio.charset.StandardCharsets;
import java.util.List;
import ristretto.expr.index.Size;
import ristretto.expr.memory.Storage;
import ristretto.expr.plan.PlanBuilder;
import ristretto.expr.plan.Step;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.ir.Kernel;

/**
 * Execution plan of an expression or program: kernels, temporaries, and the reasons where fusion
 * stopped.
 */
public final class Plan {
  private final List<Step.Lowered> steps;
  private final List<String> notes;
  private final List<String> temporaries;
  private final List<String> names;
  private final long work;

  Plan(PlanBuilder plan) {
    work = plan.visited();
    steps = List.copyOf(plan.steps());
    notes = List.copyOf(plan.notes());
    var temps = new java.util.ArrayList<String>();
    var all = new java.util.ArrayList<String>();
    var used = PlanBuilder.lifetimes(steps).keySet();
    for (int k = 0; k < plan.storages().size(); k++) {
      String name = plan.name(k);
      all.add(name);
      if (used.contains(k)
          && name.startsWith("temp")
          && plan.storages().get(k) instanceof Storage.Planned p) {
        temps.add(name + " (" + Size.text(p.bytes()) + " bytes)");
      }
    }
    temporaries = List.copyOf(temps);
    names = List.copyOf(all);
  }

  private Plan(
      List<Step.Lowered> steps,
      List<String> notes,
      List<String> temporaries,
      List<String> names,
      long work) {
    this.work = work;
    this.steps = List.copyOf(steps);
    this.notes = List.copyOf(notes);
    this.temporaries = List.copyOf(temporaries);
    this.names = names;
  }

  /** Returns this plan with the kernels of other sizes, and a note on these. */
  Plan resized(List<Step.Lowered> resized, String note) {
    var all = new java.util.ArrayList<>(notes);
    all.addFirst(note);
    return new Plan(resized, all, temporaries, names, work);
  }

  /**
   * Plan of the steps [from, to), whose recorded assignments are renumbered relative to {@code
   * first}.
   */
  Plan part(int from, int to, int first) {
    List<Step.Lowered> some =
        steps.subList(from, to).stream()
            .map(s ->
                s instanceof Step.KernelStep k
                    ? new Step.KernelStep(
                        k.kernel(), k.what(), k.from().stream().map(a -> a - first).toList())
                    : s)
            .toList();
    return new Plan(some, notes, temporaries, names, work);
  }

  /** Logs and dumps the plan as the debug level requests. */
  void log() {
    if (kernels().stream().anyMatch(Debug::explaining)) {
      System.err.println("[plan] " + place() + this);
    }
    for (Step.Lowered s : steps) {
      if (s instanceof Step.KernelStep k) {
        String name = k.name();
        if (Debug.on(Debug.PASSES, name)) {
          System.err.println(
              "[pass] " + name + " after Lowering\n" + tape(k.kernel()).stripTrailing().indent(2));
        }
        if (Debug.dumping(name)) {
          Debug.dump(name, name + ".ir", tape(k.kernel()).getBytes(StandardCharsets.UTF_8));
          Debug.dump(name, name + ".dot", toDot().getBytes(StandardCharsets.UTF_8));
        }
      }
    }
  }

  /**
   * Source position of the innermost stack frame outside of expr and kernels, for messages; empty
   * if unknown.
   */
  private static String place() {
    return StackWalker.getInstance()
        .walk(frames -> frames.filter(f -> !ours(f.getClassName())).findFirst())
        .map(f -> f.getFileName() + ":" + f.getLineNumber() + ": ")
        .orElse("");
  }

  private static boolean ours(String className) {
    return className.startsWith("ristretto.expr.")
        || className.startsWith("ristretto.kernels.")
        || className.startsWith("java.");
  }

  List<Step.Lowered> steps() {
    return steps;
  }

  /** Cost of planning: number of expressions and views visited. */
  long work() {
    return work;
  }

  /** Kernels launched by one evaluation, library routines included. */
  public int kernelCount() {
    return (int) steps.stream().filter(s -> s instanceof Step.KernelStep).count();
  }

  /** Number of temporaries in device memory. */
  public int temporaryCount() {
    return temporaries.size();
  }

  /** Names of the kernels, in order. */
  public List<String> kernels() {
    return steps.stream()
        .filter(s -> s instanceof Step.KernelStep)
        .map(s -> ((Step.KernelStep) s).name())
        .toList();
  }

  /** Intermediate representation of all kernels, as text. */
  public String ir() {
    var text = new StringBuilder();
    for (Step.Lowered s : steps) {
      if (s instanceof Step.KernelStep k) {
        text.append(k.kernel().name()).append('\n').append(tape(k.kernel()).indent(2));
      }
    }
    return text.toString();
  }

  private static String tape(Kernel kernel) {
    return switch (kernel) {
      case Kernel.Map k ->
          "over "
              + k.extents()
              + "\ninputs "
              + k.inputs()
              + "\n"
              + k.tape()
              + "stores "
              + k.stores();
      case Kernel.Row k ->
          "rows "
              + k.extents()
              + ", the first "
              + k.kept()
              + " kept\ninputs "
              + k.inputs()
              + "\n"
              + k.tape()
              + "reductions "
              + k.reductions()
              + "\nstores "
              + k.stores();
      case Kernel.Scan k -> "over " + k.extents() + "\n" + k.tape();
      case Kernel.Recurrence k -> "over " + k.extents() + "\n" + k.tape();
      case Kernel.Scatter k -> "over " + k.extents() + "\n" + k.tape();
      case Kernel.Product k -> k.toString();
      case Kernel.FusedGemm k ->
          k.left().map(map -> "left\n" + tape(map) + "\n").orElse("")
              + k.right().map(map -> "right\n" + tape(map) + "\n").orElse("")
              + k.gemm()
              + k.after().map(map -> "\nafter\n" + tape(map)).orElse("");
      case Kernel.Sort k -> k.toString();
      case Kernel.Convolution k -> k.toString();
      case Kernel.Fourier k -> k.toString();
    };
  }

  /**
   * Text of the plan: the kernels in order with their operands and computation, then the
   * temporaries, then each planning decision with its reason.
   */
  @Override
  public String toString() {
    var text = new StringBuilder();
    text.append(kernelCount()).append(kernelCount() == 1 ? " kernel, " : " kernels, ");
    text.append(temporaryCount())
        .append(temporaryCount() == 1 ? " temporary" : " temporaries")
        .append('\n');
    int number = 1;
    for (Step.Lowered s : steps) {
      switch (s) {
        case Step.KernelStep k -> {
          text.append("  ")
              .append(number++)
              .append(". ")
              .append(k.kernel().name())
              .append(" over ");
          text.append(k.kernel().space()).append(": ").append(k.what()).append('\n');
          text.append("     buffers:");
          Step.buffers(k.kernel()).forEach(b -> text.append(' ').append(names.get(b)));
          text.append('\n');
        }
        case Step.HostStep h -> text.append("  host: ").append(h.what()).append('\n');
      }
    }
    temporaries.forEach(t -> text.append("  temporary ").append(t).append('\n'));
    notes.forEach(n -> text.append("  ").append(n).append('\n'));
    return text.toString();
  }

  /** Graph of kernels and buffers in the DOT language. */
  public String toDot() {
    var text = new StringBuilder("digraph plan {\n  node [fontname=\"sans-serif\"];\n");
    for (int b = 0; b < names.size(); b++) {
      text.append("  b").append(b).append(" [label=\"").append(names.get(b)).append("\"];\n");
    }
    int number = 0;
    for (Step.Lowered s : steps) {
      if (s instanceof Step.KernelStep k) {
        String node = "k" + number++;
        text.append("  ")
            .append(node)
            .append(" [shape=box,label=\"")
            .append(k.kernel().name())
            .append("\"];\n");
        var written = Step.written(k.kernel());
        for (int b : Step.buffers(k.kernel())) {
          if (!written.contains(b)) {
            text.append("  b").append(b).append(" -> ").append(node).append(";\n");
          }
        }
        written.forEach(
            b -> text.append("  ").append(node).append(" -> b").append(b).append(";\n"));
      }
    }
    return text.append("}\n").toString();
  }
}
