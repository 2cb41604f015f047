package ristretto.expr.plan;

import java.util.Arrays;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.graph.Operation;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.memory.Storage;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;

/**
 * Cache key of a plan: the structure of one or more expressions with dtypes, layouts and sharing,
 * without memory and launch scalars, which the key collects in order. Reused for every call, so
 * that a plan lookup allocates nothing.
 */
public final class ExprKey implements ScalarSink {
  private long[] words = new long[256];
  private Object[] objects = new Object[32];
  private int wordCount;
  private int objectCount;

  private Term[] table = new Term[64];
  private int[] numbers = new int[64];
  private int[] firstScalar = new int[64];
  private int nodeCount;

  private Term[] stack = new Term[64];
  private Storage[] storages = new Storage[16];
  private int storageCount;
  private long[] scalars = new long[16];
  private int scalarCount;

  public void clear() {
    Arrays.fill(table, null);
    Arrays.fill(objects, 0, objectCount, null);
    Arrays.fill(storages, 0, storageCount, null);
    wordCount = 0;
    objectCount = 0;
    nodeCount = 0;
    storageCount = 0;
    scalarCount = 0;
  }

  public int storageCount() {
    return storageCount;
  }

  public Storage storage(int k) {
    return storages[k];
  }

  public int scalarCount() {
    return scalarCount;
  }

  public long[] scalars() {
    return scalars;
  }

  void word(long w) {
    if (wordCount == words.length) {
      words = Arrays.copyOf(words, 2 * wordCount);
    }
    words[wordCount++] = w;
  }

  private void object(Object o) {
    if (objectCount == objects.length) {
      objects = Arrays.copyOf(objects, 2 * objectCount);
    }
    objects[objectCount++] = o;
    word(o.hashCode());
  }

  @Override
  public void add(DType<?> dtype, double value) {
    scalar(
        switch (dtype.compute()) {
          case F32 -> Float.floatToRawIntBits((float) value) & 0xFFFFFFFFL;
          case F64 -> Double.doubleToRawLongBits(value);
          case I32 -> (int) value;
          case I64 -> (long) value;
          case BOOL -> value != 0 ? 1 : 0;
          case F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(dtype);
        });
  }

  @Override
  public void add(long value) {
    scalar(value);
  }

  @Override
  public void addBits(DType<?> dtype, long bits) {
    scalar(bits);
  }

  private void scalar(long bits) {
    if (scalarCount == scalars.length) {
      scalars = Arrays.copyOf(scalars, 2 * scalarCount);
    }
    scalars[scalarCount++] = bits;
  }

  /** Number of a storage, by first occurrence. */
  int number(Storage s) {
    for (int k = 0; k < storageCount; k++) {
      if (storages[k] == s) {
        return k;
      }
    }
    if (storageCount == storages.length) {
      storages = Arrays.copyOf(storages, 2 * storageCount);
    }
    storages[storageCount] = s;
    return storageCount++;
  }

  /** Number of the first launch scalar of an added expression, or -1. */
  int firstScalar(Term e) {
    int at = find(e);
    return table[at] == null ? -1 : firstScalar[at];
  }

  private int find(Term e) {
    int mask = table.length - 1;
    int at = (e.spread() >>> 7) & mask;
    while (table[at] != null && table[at] != e) {
      at = (at + 1) & mask;
    }
    return at;
  }

  /** Adds an expression and its transitive operands, each once; returns the expression's number. */
  public int add(Term root) {
    int depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
      Term e = stack[depth - 1];
      if (table[find(e)] != null) {
        depth--;
        continue;
      }
      int before = depth;
      var inputs = e.operands();
      if (depth + inputs.size() >= stack.length) {
        stack = Arrays.copyOf(stack, 2 * (depth + inputs.size()));
      }
      for (int k = inputs.size() - 1; k >= 0; k--) {
        Term in = inputs.get(k);
        if (table[find(in)] == null) {
          stack[depth++] = in;
        }
      }
      if (depth == before) {
        visit(e);
        depth--;
      }
    }
    Arrays.fill(stack, 0, Math.min(stack.length, 64), null);
    return numbers[find(root)];
  }

  private void visit(Term e) {
    if (2 * (nodeCount + 1) > table.length) {
      grow();
    }
    int at = find(e);
    table[at] = e;
    numbers[at] = nodeCount++;
    firstScalar[at] = scalarCount;
    word(e.dtype().scalar().ordinal());
    Operation operation = e.operation();
    if (operation instanceof StorageView m) {
      tensor(m);
      return;
    }
    shape(e.shape());
    object(operation.key(e));
    var inputs = e.operands();
    for (int k = 0; k < inputs.size(); k++) {
      word(numbers[find(inputs.get(k))]);
    }
    operation.scalars(e, this);
  }

  /** Adds the layout and memory of an assignment's target. */
  public void target(StorageView t) {
    word(t.dtype().scalar().ordinal());
    tensor(t);
  }

  private void tensor(StorageView t) {
    IndexMap map = t.map();
    word(-1 - number(t.storage()));
    word(map.offset);
    shape(t.shape());
    for (long s : map.strides) {
      word(s);
    }
  }

  private void shape(Shape s) {
    int rank = s.rank();
    word(rank);
    for (int d = 0; d < rank; d++) {
      word(s.at(d));
    }
  }

  private void grow() {
    Term[] oldTable = table;
    int[] oldNumbers = numbers;
    int[] oldFirst = firstScalar;
    table = new Term[2 * oldTable.length];
    numbers = new int[table.length];
    firstScalar = new int[table.length];
    for (int k = 0; k < oldTable.length; k++) {
      if (oldTable[k] != null) {
        int at = find(oldTable[k]);
        table[at] = oldTable[k];
        numbers[at] = oldNumbers[k];
        firstScalar[at] = oldFirst[k];
      }
    }
  }

  /** The launch scalars collected. */
  public long[] copyScalars() {
    return Arrays.copyOf(scalars, Math.max(1, scalarCount));
  }

  /** Immutable copy for use as a map key, which the working key finds by {@link #equals}. */
  public Frozen freeze() {
    return new Frozen(
        Arrays.copyOf(words, wordCount), Arrays.copyOf(objects, objectCount), hashCode());
  }

  static final class Frozen {
    private final long[] words;
    private final Object[] objects;
    private final int hash;

    Frozen(long[] words, Object[] objects, int hash) {
      this.words = words;
      this.objects = objects;
      this.hash = hash;
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Frozen f
          && Arrays.equals(words, f.words)
          && Arrays.equals(objects, f.objects);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  @Override
  public int hashCode() {
    long h = wordCount;
    for (int k = 0; k < wordCount; k++) {
      h = h * 0x9E3779B97F4A7C15L + words[k];
    }
    return (int) (h ^ h >>> 32);
  }

  /**
   * Returns true for a frozen copy of equal content: {@code map.get(key)} calls equals of the
   * working key.
   */
  @Override
  public boolean equals(Object o) {
    return o instanceof Frozen f
        && Arrays.equals(words, 0, wordCount, f.words, 0, f.words.length)
        && Arrays.equals(objects, 0, objectCount, f.objects, 0, f.objects.length);
  }
}
