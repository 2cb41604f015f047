package ristretto.expr.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.form.Form;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.formula.SlotReads;
import ristretto.expr.graph.Barrier.ConcatCopies;
import ristretto.expr.graph.Barrier.Convolve;
import ristretto.expr.graph.Barrier.CustomBarrier;
import ristretto.expr.graph.Barrier.Dot;
import ristretto.expr.graph.Barrier.FoldWindows;
import ristretto.expr.graph.Barrier.Fourier;
import ristretto.expr.graph.Barrier.IntegerDot;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Barrier.Scan;
import ristretto.expr.graph.Barrier.Scatter;
import ristretto.expr.graph.Barrier.Sort;
import ristretto.expr.graph.Barrier.ViewScatter;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.Formula.CustomGradient;
import ristretto.expr.graph.Formula.DropAxes;
import ristretto.expr.graph.Formula.Index;
import ristretto.expr.graph.Formula.Sigmoid;
import ristretto.expr.graph.Formula.SigmoidSlope;
import ristretto.expr.graph.Formula.Softplus;
import ristretto.expr.graph.Formula.StopGradient;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.DType;
import ristretto.expr.type.I64;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Derives the {@link Form} of a term. */
public final class Forms {
  private Forms() {}

  /** Description of the operation of a term. */
  public static Form of(Term e) {
    return switch (e.operation()) {
      case StorageView _ -> new Form.Memory();
      case Barrier b -> barrier(e, b);
      case Formula f -> formula(e, f);
    };
  }

  private static Form formula(Term e, Formula f) {
    return switch (f) {
      case Copy _ -> new Form.Memory();
      case Constant s -> new Form.Number(s.value(), s.whole());
      case Pointwise a when a.op() == Op.CONVERT -> new Form.Cast();
      case View v -> view(v.op());
      case DropAxes _ -> new Form.Reshape();
      case Pad p -> new Form.Pad(list(p.op().before()));
      case Concat c -> new Form.Concat(c.axis());
      case Gather g -> new Form.Take(g.axis(), g.along());
      case RandomNumber _ -> new Form.Random();
      case Pointwise _,
          CustomFormula _,
          CustomGradient _,
          Index _,
          IntegerPower _,
          Lifted _,
          PointwiseGradient _,
          Sigmoid _,
          SigmoidSlope _,
          Softplus _,
          StopGradient _ ->
          elements(e, f);
    };
  }

  private static Form barrier(Term e, Barrier b) {
    return switch (b) {
      case ConcatCopies c -> new Form.Concat(c.axis());
      case Reduce r -> new Form.Reduction(r.word(), axes(r.axes()));
      case Scan s -> new Form.Scan(s.op().operation().word(), s.axis(), s.reverse(), s.exclusive());
      case Sort s when s.from() != 0 -> new Form.Other(e.name());
      case Sort s -> new Form.Sort(s.axis(), s.descending(), s.positions());
      case Dot _, IntegerDot _ -> new Form.Product();
      case Recurrence _,
          Scatter _,
          Convolve _,
          Fourier _,
          ViewScatter _,
          FoldWindows _,
          CustomBarrier _ ->
          new Form.Other(e.name());
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

  private static Form elements(Term e, Formula formula) {
    var reads = slots(e);
    Tape tape;
    try {
      tape = reads.tape().build(formula.read(e, reads).row());
    } catch (SlotReads.NotPointwise x) {
      return new Form.Other(e.name());
    }
    var numbers = new Numbers();
    formula.scalars(e, numbers);
    var rows = new ArrayList<Form.Row>();
    for (Node node : tape.nodes()) {
      rows.add(row(e, node, reads.more(), numbers.rows));
    }
    return new Form.Elements(List.copyOf(rows), tape.outputs().get(0));
  }

  private static Form.Row row(
      Term e, Node node, List<SlotReads.More> more, List<Form.Row> numbers) {
    return switch (node) {
      case Node.Const c -> number(c.type(), c.bits());
      case Node.Input in when in.slot() < e.operands().size() -> new Form.Row.Input(in.slot());
      case Node.Input in ->
          switch (more.get(in.slot() - e.operands().size())) {
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

  /** Reads that record the formula of an expression over slots. */
  public static SlotReads slots(Term e) {
    var types = new ScalarTypes();
    e.operation().scalars(e, types);
    List<DType<?>> inputs = e.operands().stream().<DType<?>>map(Term::dtype).toList();
    return new SlotReads(e.dtype(), e.shape(), inputs, types.types);
  }

  /** Collects the types of launch scalars. */
  private static final class ScalarTypes implements ScalarSink {
    final List<ScalarType> types = new ArrayList<>();

    @Override
    public void add(DType<?> dtype, double value) {
      types.add(dtype.compute());
    }

    @Override
    public void add(long value) {
      types.add(ScalarType.I64);
    }

    @Override
    public void addBits(DType<?> dtype, long bits) {
      types.add(dtype.compute());
    }
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
