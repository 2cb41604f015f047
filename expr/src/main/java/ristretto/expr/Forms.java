package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Derives the {@link Form} of an expression. */
final class Forms {
  private Forms() {}

  static Form of(Expr<?> e) {
    return switch (e) {
      case Tensor<?> _ -> new Form.Memory();
      case Scalars<?> s -> new Form.Number(s.value(), s.whole());
      case Apply<?> a when a.op() == Op.CONVERT -> new Form.Cast();
      case View<?> v -> view(v.op());
      case Reduced<?> _ -> new Form.Reshape();
      case Pad<?> p -> new Form.Pad(list(p.op().before()));
      case Concat<?> c -> new Form.Concat(c.axis());
      case ConcatCopies<?> c -> new Form.Concat(c.axis());
      case Gather<?> g -> new Form.Take(g.axis(), g.along());
      case Reduce<?> r -> r.described();
      case Scan<?> s -> s.described();
      case Sort<?> s -> s.described();
      case Dot<?> _ -> new Form.Product();
      case RandomExpr<?> _ -> new Form.Random();
      case RExpr<?> r -> elements(r);
      case LExpr<?> other -> new Form.Other(other.toString());
    };
  }

  private static Form view(ViewOp op) {
    return switch (op) {
      case ViewOp.Reshape _ -> new Form.Reshape();
      case ViewOp.Expand _ -> new Form.Expand();
      case ViewOp.Permute p -> new Form.Permute(axes(p.axes()));
      case ViewOp.Step s -> new Form.Step(list(s.starts()), list(s.steps()));
      case ViewOp.Diagonal _ -> new Form.Other("diagonal");
      case ViewOp.Windows _ -> new Form.Other("windows");
      case ViewOp.Pad _ -> new Form.Other("pad");
    };
  }

  static List<Integer> axes(Longs axes) {
    return Arrays.stream(axes.toArray()).mapToObj(Math::toIntExact).toList();
  }

  private static List<Long> list(Longs values) {
    return Arrays.stream(values.toArray()).boxed().toList();
  }

  private static Form elements(RExpr<?> e) {
    var reads = new SlotReads(e);
    Tape tape;
    try {
      tape = reads.tape().build(e.read(reads).row);
    } catch (SlotReads.NotPointwise x) {
      return new Form.Other(e.toString());
    }
    var numbers = new Numbers();
    e.scalars(numbers);
    var rows = new ArrayList<Form.Row>();
    for (Node node : tape.nodes()) {
      rows.add(row(e, node, reads.more(), numbers.rows));
    }
    return new Form.Elements(List.copyOf(rows), tape.outputs().get(0));
  }

  private static Form.Row row(
      Expr<?> e, Node node, List<SlotReads.More> more, List<Form.Row> numbers) {
    return switch (node) {
      case Node.Const c -> number(c.type(), c.bits());
      case Node.Input in when in.slot() < e.inputs().size() -> new Form.Row.Input(in.slot());
      case Node.Input in ->
          switch (more.get(in.slot() - e.inputs().size())) {
            case SlotReads.More.Number n -> numbers.get(n.k());
            case SlotReads.More.Coordinate c -> new Form.Row.Position(c.axis());
            case SlotReads.More.ElementNumber _ -> new Form.Row.Position(-1);
          };
      case Node.Apply a -> {
        var operands = new ArrayList<Integer>();
        a.forEachOperand(operands::add);
        yield new Form.Row.Operation(a.op().word(), DType.of(a.type()), List.copyOf(operands));
      }
      case Node.Random _ -> new Form.Row.Other("random numbers");
      case Node.Call _ -> new Form.Row.Other("loops");
    };
  }

  private static Form.Row number(ScalarType type, long bits) {
    var c = new Node.Const(type, bits);
    return new Form.Row.Number(
        DType.of(type), c.asDouble(), type.isFloat() ? (long) c.asDouble() : bits);
  }

  /** Collects launch scalars as rows. */
  private static final class Numbers implements ScalarSink {
    final List<Form.Row> rows = new ArrayList<>();

    @Override
    public void add(DType<?> dtype, double value) {
      rows.add(new Form.Row.Number(DType.of(dtype.compute()), value, (long) value));
    }

    @Override
    public void add(long value) {
      rows.add(new Form.Row.Number(I64.INSTANCE, value, value));
    }

    @Override
    public void addBits(DType<?> dtype, long bits) {
      rows.add(number(dtype.compute(), bits));
    }
  }
}
