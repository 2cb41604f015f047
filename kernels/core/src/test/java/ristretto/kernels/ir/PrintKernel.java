package ristretto.kernels.ir;

import java.util.List;
import ristretto.kernels.scalar.Tape;

/** A kernel as text: sizes, what feeds each slot, the tape, where results go. */
public final class PrintKernel {
  private PrintKernel() {}

  public static String apply(Kernel kernel) {
    var text = new StringBuilder();
    switch (kernel) {
      case Kernel.Map k -> {
        text.append("map ").append(k.name()).append(" over ").append(k.extents()).append('\n');
        body(text, k.inputs(), k.tape());
        k.stores().forEach(store -> text.append("  store ").append(memory(store)).append('\n'));
      }
      case Kernel.Row k -> {
        text.append("row ").append(k.name()).append(" over ").append(k.extents());
        text.append(", rows are the first ").append(k.kept()).append('\n');
        body(text, k.inputs(), k.tape());
        for (int i = 0; i < k.reductions().size(); i++) {
          Reduction r = k.reductions().get(i);
          text.append("  slot ").append(k.inputs().size() + i).append(" = ").append(r.kind());
          text.append(' ')
              .append(r.type().label())
              .append(" of output ")
              .append(r.output())
              .append('\n');
        }
        for (Kernel.Store store : k.stores()) {
          text.append("  store output ")
              .append(store.output())
              .append(store.perRow() ? " once a row" : "");
          text.append(" to ").append(memory(store.target())).append('\n');
        }
      }
      case Kernel.Scan k -> {
        text.append("scan ").append(k.name()).append(" over ").append(k.extents());
        text.append(' ').append(k.op()).append(k.reverse() ? " reverse" : "");
        text.append(k.exclusive() ? " exclusive" : "").append('\n');
        body(text, k.inputs(), k.tape());
        text.append("  store ").append(memory(k.target())).append('\n');
      }
      case Kernel.Recurrence k -> {
        text.append("recurrence ").append(k.name()).append(" over ").append(k.extents());
        text.append(k.reverse() ? " reverse" : "").append('\n').append(k.tape());
        k.initial().forEach(o -> text.append("  initial ").append(o).append('\n'));
        k.targets().forEach(m -> text.append("  target ").append(memory(m)).append('\n'));
      }
      case Kernel.Scatter k -> {
        text.append("scatter ").append(k.name()).append(" over ").append(k.extents()).append('\n');
        body(text, k.inputs(), k.tape());
        text.append("  add to ").append(memory(k.target())).append('\n');
      }
      case Kernel.Gemm k -> {
        text.append("gemm ").append(k.name()).append(' ').append(k.type().label());
        text.append(" batch ")
            .append(k.batch())
            .append(" m ")
            .append(k.m())
            .append(" n ")
            .append(k.n());
        text.append(" k ")
            .append(k.k())
            .append(" alpha ")
            .append(k.alpha())
            .append(" beta ")
            .append(k.beta());
        text.append("\n  a ").append(memory(k.a())).append("\n  b ").append(memory(k.b()));
        text.append("\n  c ").append(memory(k.c())).append('\n');
      }
      case Kernel.FusedGemm k -> {
        text.append("fused ").append(k.name()).append('\n');
        k.left().ifPresent(map -> text.append("left ").append(apply(map)));
        k.right().ifPresent(map -> text.append("right ").append(apply(map)));
        text.append(apply(k.gemm()));
        k.after().ifPresent(map -> text.append("after ").append(apply(map)));
      }
      case Kernel.Sort k -> {
        text.append("sort ").append(k.name()).append(" over ").append(k.extents());
        text.append(k.descending() ? " descending" : "").append(" keep ").append(k.keep());
        text.append(k.from() == 0 ? "" : " from " + k.from());
        text.append("\n  input ").append(memory(k.input())).append('\n');
        k.values().ifPresent(m -> text.append("  values ").append(memory(m)).append('\n'));
        k.indices().ifPresent(m -> text.append("  indices ").append(memory(m)).append('\n'));
      }
      case Kernel.Convolution k -> {
        text.append("convolution ").append(k.name()).append(" makes ").append(k.made());
        text.append("\n  image ").append(memory(k.image()));
        text.append("\n  filter ").append(memory(k.filter()));
        text.append("\n  result ").append(memory(k.result())).append('\n');
      }
      case Kernel.BlockGemm k -> {
        text.append("gemm ").append(k.name()).append(" over ").append(k.space());
        text.append("\n  a ").append(memory(k.a()));
        text.append("\n  blocks ").append(memory(k.blocks()));
        text.append("\n  c ").append(memory(k.c())).append('\n');
      }
      case Kernel.Fourier k -> {
        text.append("fourier ").append(k.name()).append(" over ").append(k.extents());
        text.append(k.inverse() ? " inverse" : "").append(k.periodic() ? " periodic" : "");
        text.append(" times ").append(k.scale());
        text.append("\n  re ").append(memory(k.re()));
        k.im().ifPresent(m -> text.append("\n  im ").append(memory(m)));
        text.append("\n  to re ").append(memory(k.toRe()));
        text.append("\n  to im ").append(memory(k.toIm())).append('\n');
      }
    }
    return text.toString();
  }

  private static void body(StringBuilder text, List<Operand> inputs, Tape tape) {
    for (int slot = 0; slot < inputs.size(); slot++) {
      text.append("  slot ").append(slot).append(" = ");
      text.append(
          switch (inputs.get(slot)) {
            case Operand.Memory m -> memory(m);
            case Operand.Value v -> v.type().label() + " launch scalar " + v.argument();
            case Operand.Index i -> i.type().label() + " index " + affine(i.map());
          });
      text.append('\n');
    }
    text.append(tape.toString().indent(2));
  }

  private static String memory(Operand.Memory m) {
    var text =
        new StringBuilder(m.storage().label() + " buffer " + m.buffer() + "[" + affine(m.map()));
    m.gather()
        .ifPresent(g ->
            text.append(" + ")
                .append(g.stride())
                .append(" * ")
                .append(g.storage().label())
                .append(" buffer ")
                .append(g.buffer())
                .append('[')
                .append(affine(g.map()))
                .append("] below ")
                .append(g.extent()));
    text.append(']');
    m.bounds()
        .forEach(b ->
            text.append(" where ")
                .append(b.from())
                .append(" <= i")
                .append(b.dim())
                .append(" < ")
                .append(b.to()));
    return text.toString();
  }

  private static String affine(Affine map) {
    var text = new StringBuilder("" + map.offset());
    for (int d = 0; d < map.strides().size(); d++) {
      if (map.strides().get(d) != 0) {
        text.append(" + ").append(map.strides().get(d)).append(" i").append(d);
      }
    }
    return text.toString();
  }
}
