// Draws the kernels of a formula, with an assignment per operation and with one for all.
//
//   ./ristretto run docs/tutorials/BeforeAndAfter.java out
//   dot -Tsvg out/fusion.dot -o out/fusion.svg

import module ristretto.expr;
import static ristretto.expr.Ops.*;

final StringBuilder dot =
    new StringBuilder("digraph { nodesep=0.4; ranksep=0.3; node [fontname=\"sans-serif\"];\n");

/// Adds the kernel of an assignment, with arrows from and to tensors.
void draw(Plan plan, String side, String to, String... from) {
  for (String kernel : plan.kernels()) {
    String box = "\"" + side + kernel + "\"";
    dot.append(
        box
            + " [shape=box, style=filled, fillcolor=\"#dbe9ff\", label=\""
            + kernel.replaceAll("_[0-9a-f]{8}$", "")
            + "\"];\n");
    for (String tensor : from) {
      dot.append(name(side, tensor) + " -> " + box + ";\n");
    }
    dot.append(box + " -> " + name(side, to) + ";\n");
  }
}

String name(String side, String tensor) {
  String name = "\"" + side + tensor + "\"";
  dot.append(name + " [label=\"" + tensor + "\"];\n");
  return name;
}

void main(String[] args) throws IOException {
  try (var ctx = Context.open()) {
    Tensor<F32> x = ctx.zeros(F32, 1000);
    Tensor<F32> w = ctx.zeros(F32, 1000);
    Tensor<F32> a = ctx.zeros(F32, 1000);
    Tensor<F32> b = ctx.zeros(F32, 1000);
    Tensor<F32> c = ctx.zeros(F32, 1000);
    Tensor<F32> y = ctx.zeros(F32, 1000);
    draw(ctx.explain(a, x.times(w)), "before", "a", "x", "w");
    draw(ctx.explain(b, a.plus(1)), "before", "b", "a");
    draw(ctx.explain(c, exp(b)), "before", "c", "b");
    draw(ctx.explain(y, c.div(3)), "before", "y", "c");
    Plan fused = ctx.explain(y, exp(x.times(w).plus(1)).div(3));
    draw(fused, "after", "y", "x", "w");
    IO.println("4 kernels before, " + fused.kernelCount() + " after");
    if (args.length == 1) {
      Path folder = Files.createDirectories(Path.of(args[0]));
      Files.writeString(folder.resolve("fusion.dot"), dot.append("}\n"));
    }
  }
}
