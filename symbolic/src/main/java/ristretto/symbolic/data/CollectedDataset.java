package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Examples of an iterator, collected in host memory; their sequences may have unequal lengths. */
final class CollectedDataset extends PrintedDataset {
  private static final String STEPS = "steps";

  /** Value of a field in one example. */
  private record Cell(DType<?> dtype, Shape shape, byte[] bytes) {
    static Cell of(String name, Object value) {
      if (value instanceof Cell cell) {
        return cell;
      }
      if (value instanceof Tensor<?> t) {
        return new Cell(t.dtype(), t.shape(), t.toByteArray());
      }
      return switch (value) {
        case float[] a -> new Cell(Ops.F32, Shape.of(a.length), bytes(MemorySegment.ofArray(a)));
        case double[] a -> new Cell(Ops.F64, Shape.of(a.length), bytes(MemorySegment.ofArray(a)));
        case int[] a -> new Cell(Ops.I32, Shape.of(a.length), bytes(MemorySegment.ofArray(a)));
        case long[] a -> new Cell(Ops.I64, Shape.of(a.length), bytes(MemorySegment.ofArray(a)));
        case Float v -> scalar(of(name, new float[] {v}));
        case Double v -> scalar(of(name, new double[] {v}));
        case Integer v -> scalar(of(name, new int[] {v}));
        case Long v -> scalar(of(name, new long[] {v}));
        case null, default ->
            throw new ShapeException(
                "[dataset] values must be tensors, numbers, or arrays of float, double, int or"
                    + " long; got "
                    + (value == null ? "null" : value.getClass().getSimpleName())
                    + " for "
                    + name
                    + ".");
      };
    }

    private static Cell scalar(Cell one) {
      return new Cell(one.dtype, Shape.SCALAR, one.bytes);
    }

    private static byte[] bytes(MemorySegment array) {
      return array.toArray(ValueLayout.JAVA_BYTE);
    }

    boolean fits(Cell first) {
      return dtype == (Object) first.dtype
          && shape.rank() == first.shape.rank()
          && Arrays.equals(inner(shape), inner(first.shape));
    }

    private static long[] inner(Shape shape) {
      long[] all = shape.toArray();
      return all.length == 0 ? all : Arrays.copyOfRange(all, 1, all.length);
    }

    long steps() {
      return shape.rank() == 0 ? -1 : shape.dim(0);
    }

    @Override
    public String toString() {
      return dtype + "" + shape;
    }
  }

  private final List<Field> fields = new ArrayList<>();
  private final List<List<byte[]>> values = new ArrayList<>();
  private final boolean[] hasSteps;
  private final long[] steps;
  private final int size;

  private CollectedDataset(Map<String, List<Cell>> columns) {
    this.size = columns.values().iterator().next().size();
    this.hasSteps = new boolean[columns.size() + 1];
    this.steps = new long[size];
    columns.forEach(this::add);
    boolean any = false;
    for (boolean has : hasSteps) {
      any |= has;
    }
    if (any && !columns.containsKey(STEPS)) {
      var lengths = new ArrayList<Cell>();
      for (long n : steps) {
        lengths.add(Cell.of(STEPS, Math.toIntExact(n)));
      }
      add(STEPS, lengths);
    }
  }

  private void add(String name, List<Cell> column) {
    Cell first = column.get(0);
    long longest = first.steps();
    boolean equal = true;
    for (Cell c : column) {
      equal &= c.steps() == first.steps();
      longest = Math.max(longest, c.steps());
    }
    Shape shape = first.shape;
    if (!equal) {
      checkSteps(name, column);
      long[] dims = shape.toArray();
      dims[0] = longest;
      shape = Shape.of(dims);
      hasSteps[fields.size()] = true;
    }
    fields.add(new Field(name, first.dtype, shape));
    values.add(column.stream().map(Cell::bytes).toList());
  }

  /** Checks that fields of unequal lengths have the same length within each example. */
  private void checkSteps(String name, List<Cell> column) {
    int before = -1;
    for (int f = 0; f < fields.size(); f++) {
      before = hasSteps[f] ? f : before;
    }
    for (int k = 0; k < size; k++) {
      long n = column.get(k).steps();
      if (before >= 0 && steps[k] != n) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[dataset] sequences of an example must have equal lengths; got %d for %s and %d"
                    + " for %s in example %d; pad one of the fields to a fixed length.",
                steps[k],
                fields.get(before).name(),
                n,
                name,
                k));
      }
      steps[k] = n;
    }
  }

  static Dataset of(Iterator<? extends Map<String, ?>> examples) {
    var columns = new LinkedHashMap<String, List<Cell>>();
    long number = 0;
    while (examples.hasNext()) {
      Map<String, ?> example = examples.next();
      if (number == 0) {
        HostDataset.names(example).forEach(name -> columns.put(name, new ArrayList<>()));
      }
      if (!columns.keySet().equals(example.keySet())) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[dataset] all examples must have the same fields; got %s in example 0 and %s in"
                    + " example %d.",
                columns.keySet(),
                example.keySet(),
                number));
      }
      for (Map.Entry<String, List<Cell>> column : columns.entrySet()) {
        Cell cell = Cell.of(column.getKey(), example.get(column.getKey()));
        List<Cell> before = column.getValue();
        if (!before.isEmpty() && !cell.fits(before.get(0))) {
          throw new ShapeException(
              String.format(
                  Locale.ROOT,
                  "[dataset] values of a field must have the same dtype and shape, except for the"
                      + " first extent; got %s in example 0 and %s in example %d for %s.",
                  before.get(0),
                  cell,
                  number,
                  column.getKey()));
        }
        before.add(cell);
      }
      number++;
    }
    if (columns.isEmpty()) {
      throw new ShapeException("[dataset] there must be an example with a field; got none.");
    }
    return new CollectedDataset(columns);
  }

  @Override
  public List<Field> fields() {
    return List.copyOf(fields);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public boolean hasSteps(int field) {
    return hasSteps[field];
  }

  @Override
  public long steps(long example) {
    return steps[(int) example];
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    byte[] value = values.get(field).get((int) example);
    MemorySegment.copy(MemorySegment.ofArray(value), 0, to, 0, value.length);
  }
}
