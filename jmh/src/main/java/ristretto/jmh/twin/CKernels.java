package ristretto.jmh.twin;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** Loops in C, from a library that {@link Gcc} compiled. */
final class CKernels implements Kernels {
  private final SymbolLookup library;
  private final MethodHandle sum3;
  private final MethodHandle softmax;
  private final MethodHandle layerNorm;
  private final MethodHandle rowSum;
  private final MethodHandle addRows;
  private final MethodHandle maxRows;
  private final MethodHandle biasRelu;
  private final MethodHandle transpose;
  private final MethodHandle evens;

  CKernels(Path file) {
    library = SymbolLookup.libraryLookup(file, Arena.global());
    sum3 = find("sum3", FunctionDescriptor.of(ValueLayout.JAVA_DOUBLE, longs(4)));
    softmax = find("softmax", FunctionDescriptor.ofVoid(longs(4)));
    layerNorm = find("layernorm", FunctionDescriptor.ofVoid(longs(4)));
    rowSum = find("rowsum", FunctionDescriptor.ofVoid(longs(4)));
    addRows = find("addrows", FunctionDescriptor.ofVoid(longs(5)));
    maxRows = find("maxrows", FunctionDescriptor.ofVoid(longs(5)));
    biasRelu = find("biasrelu", FunctionDescriptor.ofVoid(longs(5)));
    transpose = find("transpose", FunctionDescriptor.ofVoid(longs(6)));
    evens = find("evens", FunctionDescriptor.ofVoid(longs(3)));
  }

  /**
   * Layouts of parameters as longs: the calling convention passes pointers and longs alike, so
   * addresses need no wrapping.
   */
  private static MemoryLayout[] longs(int count) {
    var layouts = new MemoryLayout[count];
    java.util.Arrays.fill(layouts, ValueLayout.JAVA_LONG);
    return layouts;
  }

  private MethodHandle find(String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type);
  }

  private static IllegalStateException broken(Throwable e) {
    return new IllegalStateException("a call into C failed", e);
  }

  @Override
  public MapTwins.Loop map(String name) {
    MethodHandle handle = find(name, FunctionDescriptor.ofVoid(longs(5)));
    return (a, b, c, y, n) -> {
      try {
        handle.invokeExact(a, b, c, y, (long) n);
      } catch (Throwable e) {
        throw broken(e);
      }
    };
  }

  @Override
  public double sum3(long a, long b, long c, int n) {
    try {
      return (double) sum3.invokeExact(a, b, c, (long) n);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  @Override
  public void softmax(long x, long y, long rows, int cols) {
    four(softmax, x, y, rows, cols);
  }

  @Override
  public void layerNorm(long x, long y, long rows, int cols) {
    four(layerNorm, x, y, rows, cols);
  }

  @Override
  public void rowSum(long x, long y, long rows, int cols) {
    four(rowSum, x, y, rows, cols);
  }

  private static void four(MethodHandle handle, long x, long y, long rows, long cols) {
    try {
      handle.invokeExact(x, y, rows, cols);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  @Override
  public void addRows(long x, long stride, long rows, long y, int cols) {
    five(addRows, x, stride, rows, y, cols);
  }

  @Override
  public void maxRows(long x, long stride, long rows, long y, int cols) {
    five(maxRows, x, stride, rows, y, cols);
  }

  @Override
  public void biasRelu(long x, long b, long y, long rows, int cols) {
    five(biasRelu, x, b, y, rows, cols);
  }

  private static void five(MethodHandle handle, long p, long q, long r, long s, long t) {
    try {
      handle.invokeExact(p, q, r, s, t);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  @Override
  public void transpose(long x, long y, long rows, long cols, long from, long to) {
    try {
      transpose.invokeExact(x, y, rows, cols, from, to);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  @Override
  public void evens(long x, long y, int n) {
    try {
      evens.invokeExact(x, y, (long) n);
    } catch (Throwable e) {
      throw broken(e);
    }
  }
}
