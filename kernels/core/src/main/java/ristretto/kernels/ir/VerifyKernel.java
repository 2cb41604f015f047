package ristretto.kernels.ir;

import java.util.List;
import ristretto.kernels.fourier.Factors;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Checks the rules of the kernel IR that do not depend on buffers: ranks, types, counts. A
 * violation is a bug of the pass that made the kernel. The check runs after each pass of planning
 * and before a device prepares a kernel, if assertions are enabled ({@code -ea}).
 */
public final class VerifyKernel {
  private final Kernel kernel;
  private final String pass;

  private VerifyKernel(Kernel kernel, String pass) {
    this.kernel = kernel;
    this.pass = pass;
  }

  /**
   * Returns {@code kernel} if it satisfies the rules.
   *
   * @param pass name of the pass that made the kernel, for the message
   */
  public static <K extends Kernel> K check(K kernel, String pass) {
    new VerifyKernel(kernel, pass).check();
    return kernel;
  }

  private void check() {
    require(kernel.name().length() <= 64, "names have at most 64 characters");
    switch (kernel) {
      case Kernel.Map k -> map(k);
      case Kernel.Row k -> row(k);
      case Kernel.Scan k -> {
        body(k.extents(), k.tape(), k.inputs(), List.of());
        require(k.extents().size() > 0, "a scan has a dimension");
        single(k.tape());
        target(k.extents(), k.target(), k.tape().outputType(0));
      }
      case Kernel.Recurrence k -> {
        body(k.extents(), k.tape(), k.reads(), List.of());
        require(k.initial().size() == k.targets().size(), "every state has an initial value");
        require(k.targets().size() == k.tape().outputs().size(), "every output is a state");
        for (int i = 0; i < k.targets().size(); i++) {
          target(k.extents(), k.targets().get(i), k.tape().outputType(i));
        }
      }
      case Kernel.Scatter k -> {
        body(k.extents(), k.tape(), k.inputs(), List.of());
        single(k.tape());
        memory(k.extents(), k.target());
        require(k.target().gather().isPresent(), "a scatter's target has an index");
        require(k.target().bounds().isEmpty(), "a scatter's target has no bounds");
        require(k.target().type() == k.tape().outputType(0), "the value has the target's type");
      }
      case Kernel.Gemm k -> gemm(k);
      case Kernel.FusedGemm k -> fused(k);
      case Kernel.BlockGemm k -> blocks(k);
      case Kernel.Sort k -> {
        require(k.extents().size() > 0, "a sort has a dimension");
        long length = k.extents().size() == 0 ? 0 : k.extents().get(k.extents().size() - 1);
        require(k.keep() >= 0 && k.keep() <= length, "a sort keeps at most the length of a row");
        require(
            k.from() >= 0 && k.from() <= length - k.keep(), "a sort keeps entries within the row");
        memory(k.extents(), k.input());
        k.values().ifPresent(m -> target(k.extents(), m, k.input().type()));
        k.indices().ifPresent(m -> target(k.extents(), m, ScalarType.I64));
      }
      case Kernel.Convolution k -> convolution(k);
      case Kernel.Fourier k -> fourier(k);
    }
  }

  private void map(Kernel.Map k) {
    body(k.extents(), k.tape(), k.inputs(), List.of());
    require(k.stores().size() == k.tape().outputs().size(), "every output has a store");
    for (int i = 0; i < k.stores().size(); i++) {
      target(k.extents(), k.stores().get(i), k.tape().outputType(i));
    }
  }

  private void row(Kernel.Row k) {
    require(k.kept() >= 0 && k.kept() <= k.extents().size(), "kept dimensions exist");
    body(k.extents(), k.tape(), k.inputs(), k.reductions());
    for (Reduction r : k.reductions()) {
      require(
          r.output() >= 0 && r.output() < k.tape().outputs().size(), "a reduction's output exists");
      require(k.tape().outputType(r.output()) == r.type(), "a reduction has its output's type");
      boolean logical = r.kind() == Reduction.Kind.ANY || r.kind() == Reduction.Kind.ALL;
      boolean fits = r.kind() == Reduction.Kind.LAMBDA || logical == (r.type() == ScalarType.BOOL);
      require(fits, r.kind() + " of " + r.type());
      require(
          r.combine().isPresent() == (r.kind() == Reduction.Kind.LAMBDA),
          "a lambda has a tape, others have none");
    }
    for (Kernel.Store s : k.stores()) {
      require(s.output() >= 0 && s.output() < k.tape().outputs().size(), "a store's output exists");
      target(k.extents(), s.target(), k.tape().outputType(s.output()));
      for (int d = k.kept(); d < k.extents().size(); d++) {
        boolean same = k.extents().get(d) <= 1 || s.target().map().strides().get(d) == 0;
        require(!s.perRow() || same, "a store per row has row length 1");
      }
    }
  }

  private void gemm(Kernel.Gemm k) {
    boolean integer = k.type() == ScalarType.I32 || k.type() == ScalarType.I64;
    require(
        integer || k.type() == ScalarType.F32 || k.type() == ScalarType.F64,
        "products are f32, f64, i32 or i64");
    require(
        !integer || k.alpha() == 1 && k.scale().isEmpty() && k.beta() == 0,
        "products of integers are not scaled or added to");
    require(k.m() >= 0 && k.n() >= 0 && k.k() >= 0, "extents are not negative");
    for (Operand.Memory m : List.of(k.a(), k.b(), k.c())) {
      require(m.storage() == k.type(), "operands have the product's type");
      require(m.map().strides().size() == k.batch().size() + 2, "strides count the batch and two");
      require(m.gather().isEmpty() && m.bounds().isEmpty(), "operands of a product are plain");
    }
    k.scale().ifPresent(v -> require(v.type() == k.type(), "the scale has the product's type"));
    unitStride(k.a(), k.m(), k.k());
    unitStride(k.b(), k.k(), k.n());
    int last = k.batch().size() + 1;
    require(k.c().map().strides().get(last) == 1 || k.n() <= 1, "the result's rows are contiguous");
  }

  private void blocks(Kernel.BlockGemm k) {
    require(k.m() >= 0 && k.n() >= 0 && k.k() >= 0, "extents are not negative");
    require(k.k() % k.format().length() == 0, "rows have whole blocks");
    memory(Longs.of(k.m(), k.k()), k.a());
    memory(Longs.of(k.n(), k.format().rowBytes(k.k())), k.blocks());
    target(Longs.of(k.m(), k.n()), k.c(), ScalarType.F32);
    require(k.a().storage() == ScalarType.F32, "the left operand is f32");
    require(k.c().storage() == ScalarType.F32, "the result is f32");
    require(k.blocks().storage() == ScalarType.U8, "blocks are bytes");
    for (Operand.Memory m : List.of(k.a(), k.blocks())) {
      require(m.gather().isEmpty() && m.bounds().isEmpty(), "operands of a product are plain");
    }
    require(k.a().map().strides().get(1) == 1 || k.k() <= 1, "rows are contiguous");
    require(k.blocks().map().strides().get(1) == 1, "rows of blocks are contiguous");
    require(k.c().map().strides().get(1) == 1 || k.n() <= 1, "the result's rows are contiguous");
  }

  private void convolution(Kernel.Convolution k) {
    require(k.type() == ScalarType.F32 || k.type() == ScalarType.F64, "it is f32 or f64");
    long[] x = k.images().toArray();
    long[] w = k.filters().toArray();
    long[] y = k.results().toArray();
    Kernel.Convolution.Windows at = k.windows();
    require(x.length > 2 && w.length == x.length && y.length == x.length, "ranks are equal");
    require(y[0] == x[0] && y[1] == w[0], "the result has all images and filters");
    require(x[1] == w[1] * at.groups() && w[0] % at.groups() == 0, "groups share the channels");
    for (int d = 2; d < x.length; d++) {
      long room = x[d] + 2 * at.padding().get(d - 2) - at.dilations().get(d - 2) * (w[d] - 1) - 1;
      require(room >= 0, "a window fits into an image");
      require(
          y[d] == room / at.strides().get(d - 2) + 1, "the result has an element for each window");
    }
    dense(k.image(), x, k.type());
    dense(k.filter(), w, k.type());
    dense(k.result(), y, k.type());
  }

  private void fourier(Kernel.Fourier k) {
    require(k.type() == ScalarType.F32 || k.type() == ScalarType.F64, "it is f32 or f64");
    int rank = k.extents().size();
    require(rank > 0 && k.extents().get(rank - 1) > 1, "a transform has two elements or more");
    require(Factors.isSmooth(k.extents().get(rank - 1)), "the length has small prime factors");
    memory(k.extents(), k.re());
    require(k.re().storage() == k.type(), "operands have the transform's type");
    k.im().ifPresent(m -> memory(k.extents(), m));
    k.im().ifPresent(m -> like(m, k.re()));
    target(k.results(), k.toRe(), k.type());
    target(k.results(), k.toIm(), k.type());
    like(k.toIm(), k.toRe());
  }

  private void like(Operand.Memory im, Operand.Memory re) {
    boolean same = im.storage() == re.storage() && im.map().strides().equals(re.map().strides());
    require(same, "imaginary parts have the type and the strides of the real parts");
    require(re.gather().isEmpty() && re.bounds().isEmpty(), "operands of a transform are plain");
    require(im.gather().isEmpty() && im.bounds().isEmpty(), "operands of a transform are plain");
  }

  private void dense(Operand.Memory m, long[] extents, ScalarType type) {
    require(m.type() == type && m.storage() == type, "operands have the convolution's type");
    require(m.gather().isEmpty() && m.bounds().isEmpty(), "operands of a convolution are plain");
    long stride = 1;
    for (int d = extents.length - 1; d >= 0; d--) {
      boolean same = extents[d] == 1 || m.map().strides().get(d) == stride;
      require(same, "operands of a convolution are in row-major order");
      stride *= extents[d];
    }
  }

  private void fused(Kernel.FusedGemm k) {
    Kernel.Product g = k.gemm();
    switch (g) {
      case Kernel.Gemm dense -> gemm(dense);
      case Kernel.BlockGemm blocks -> {
        blocks(blocks);
        require(k.right().isEmpty(), "blocks have no prologue");
      }
    }
    k.left().ifPresent(map -> operand(map, g.space(g.m(), g.k()), g.a()));
    k.right().ifPresent(map -> operand(map, g.space(g.k(), g.n()), g.right()));
    k.after()
        .ifPresent(map -> {
          map(map);
          require(
              map.extents().equals(g.space(g.m(), g.n())),
              "the epilogue has the result's index space");
          require(map.inputs().contains(g.c()), "the epilogue reads the product");
        });
  }

  private void operand(Kernel.Map map, Longs space, Operand.Memory stored) {
    map(map);
    require(map.extents().equals(space), "the prologue has the operand's index space");
    require(map.stores().equals(List.of(stored)), "the prologue stores the operand only");
  }

  private void unitStride(Operand.Memory m, long rows, long columns) {
    Longs strides = m.map().strides();
    boolean unit = strides.get(strides.size() - 1) == 1 || strides.get(strides.size() - 2) == 1;
    require(unit || rows <= 1 || columns <= 1, "one of an operand's last two strides is 1");
  }

  private void single(Tape tape) {
    require(tape.outputs().size() == 1, "there is one output");
  }

  private void body(Longs extents, Tape tape, List<Operand> inputs, List<Reduction> reductions) {
    for (long extent : extents.toArray()) {
      require(extent >= 0, "extents are not negative");
    }
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Input in) {
        int reduction = in.slot() - inputs.size();
        require(reduction < reductions.size(), "slot " + in.slot() + " has an operand");
        ScalarType fed =
            reduction < 0 ? inputs.get(in.slot()).type() : reductions.get(reduction).resultType();
        require(
            fed == in.type(), "slot " + in.slot() + " is " + in.type() + ", its operand " + fed);
      }
    }
    for (Operand operand : inputs) {
      switch (operand) {
        case Operand.Memory m -> memory(extents, m);
        case Operand.Value v -> require(v.argument() >= 0, "launch scalars are numbered from 0");
        case Operand.Index i -> {
          affine(extents, i.map());
          require(
              i.type() == ScalarType.I32 || i.type() == ScalarType.I64, "indices are i32 or i64");
        }
      }
    }
  }

  private void target(Longs extents, Operand.Memory m, ScalarType value) {
    memory(extents, m);
    require(m.gather().isEmpty() && m.bounds().isEmpty(), "stores have no gather and no bounds");
    require(m.type() == value, "a store of " + value + " goes to memory of " + m.storage());
  }

  private void memory(Longs extents, Operand.Memory m) {
    require(m.buffer() >= 0, "buffers are numbered from 0");
    affine(extents, m.map());
    m.gather()
        .ifPresent(g -> {
          affine(extents, g.map());
          boolean integral = g.storage() == ScalarType.I32 || g.storage() == ScalarType.I64;
          require(integral, "gathers read i32 or i64");
          require(g.buffer() >= 0 && g.extent() >= 0, "gathers name a buffer and an extent");
        });
    for (Operand.Bound b : m.bounds()) {
      require(b.dim() >= 0 && b.dim() < extents.size(), "bounds name a dimension");
    }
  }

  private void affine(Longs extents, Affine map) {
    require(
        map.strides().size() == extents.size(), "an index map has a stride for every dimension");
  }

  private void require(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalStateException(
          "[verify] %s; after %s; this is a bug of Ristretto, please report it\n%s"
              .formatted(rule, pass, kernel));
    }
  }
}
