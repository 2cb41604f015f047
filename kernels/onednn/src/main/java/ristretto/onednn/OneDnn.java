package ristretto.onednn;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import ristretto.kernels.KernelException;

/**
 * Functions of oneDNN, bound by the Foreign Function API, since loading oneDNN through JavaCPP
 * takes a second. Each call must run {@linkplain #alone single-threaded}: parallelism is our own.
 * {@link OneDnnFiles#load} must come first: it reports why the library does not load, which this
 * class's initializer cannot.
 */
final class OneDnn {
  private static final int UNIMPLEMENTED = 3;
  private static final int CPU = 1;
  private static final int ORDERED = 1;
  private static final int F32 = 3;
  private static final int ANY = 1;
  private static final int FORWARD = 64;
  private static final int DIRECT = 1;
  private static final int SCRATCH_OF_USER = 1;
  private static final int IMPLEMENTATION = 8;

  private static final ValueLayout.OfInt I = JAVA_INT;
  private static final ValueLayout.OfLong P = JAVA_LONG;

  private static final SymbolLookup LIBRARY = OneDnnFiles.load();

  private static final MethodHandle ENGINE = status("dnnl_engine_create", P, I, P);
  private static final MethodHandle STREAM = status("dnnl_stream_create", P, P, I);
  private static final MethodHandle ATTRIBUTES = status("dnnl_primitive_attr_create", P);
  private static final MethodHandle SCRATCH =
      status("dnnl_primitive_attr_set_scratchpad_mode", P, I);
  private static final MethodHandle PLAIN =
      status("dnnl_memory_desc_create_with_strides", P, I, P, I, P);
  private static final MethodHandle OPEN =
      status("dnnl_memory_desc_create_with_tag", P, I, P, I, I);
  private static final MethodHandle EQUAL = status("dnnl_memory_desc_equal", P, P);
  private static final MethodHandle BYTES =
      bind("dnnl_memory_desc_get_size", FunctionDescriptor.of(P, P));
  private static final MethodHandle MEMORY = status("dnnl_memory_create", P, P, P, P);
  private static final MethodHandle SET = status("dnnl_memory_set_data_handle", P, P);
  private static final MethodHandle RESULTS =
      status(
          "dnnl_convolution_forward_primitive_desc_create", P, P, I, I, P, P, P, P, P, P, P, P, P);
  private static final MethodHandle IMAGES =
      status(
          "dnnl_convolution_backward_data_primitive_desc_create",
          P,
          P,
          I,
          P,
          P,
          P,
          P,
          P,
          P,
          P,
          P,
          P);
  private static final MethodHandle FILTERS =
      status(
          "dnnl_convolution_backward_weights_primitive_desc_create",
          P,
          P,
          I,
          P,
          P,
          P,
          P,
          P,
          P,
          P,
          P,
          P,
          P);
  private static final MethodHandle REORDER =
      status("dnnl_reorder_primitive_desc_create", P, P, P, P, P, P);
  private static final MethodHandle SUM =
      status("dnnl_sum_primitive_desc_create", P, P, P, I, P, P, P);
  private static final MethodHandle QUERY = status("dnnl_primitive_desc_query", P, I, I, P);
  private static final MethodHandle LAYOUT =
      bind("dnnl_primitive_desc_query_md", FunctionDescriptor.of(P, P, I, I));
  private static final MethodHandle PRIMITIVE = status("dnnl_primitive_create", P, P);
  private static final MethodHandle EXECUTE = status("dnnl_primitive_execute", P, P, I, P);
  private static final MethodHandle VERSION =
      bind("dnnl_version", FunctionDescriptor.of(ValueLayout.ADDRESS));

  /** Functions of the OpenMP library that oneDNN is linked to. */
  private static final MethodHandle SET_THREADS =
      bind("omp_set_num_threads", FunctionDescriptor.ofVoid(I));

  private static final MethodHandle THREADS = bind("omp_get_max_threads", FunctionDescriptor.of(I));

  private static final long ENGINE_OF_ALL =
      made("dnnl_engine_create", (to, _) -> (int) ENGINE.invokeExact(to, CPU, 0L));

  /** Kinds of oneDNN's objects, with the functions that destroy them. */
  enum Kind {
    LAYOUT("dnnl_memory_desc_destroy"),
    ATTRIBUTES("dnnl_primitive_attr_destroy"),
    DESCRIPTION("dnnl_primitive_desc_destroy"),
    PRIMITIVE("dnnl_primitive_destroy"),
    MEMORY("dnnl_memory_destroy"),
    STREAM("dnnl_stream_destroy");

    private final MethodHandle destroy;

    Kind(String function) {
      destroy = status(function, P);
    }
  }

  /**
   * Operands of a convolution: oneDNN's codes to query their layouts and to pass them as arguments.
   */
  enum Role {
    IMAGE(129, 1),
    IMAGE_GRADIENT(130, 129),
    FILTER(131, 33),
    FILTER_GRADIENT(132, 161),
    RESULT(133, 17),
    RESULT_GRADIENT(134, 145),
    SCRATCH(136, 80);

    private final int query;
    final int argument;

    Role(int query, int argument) {
      this.query = query;
      this.argument = argument;
    }
  }

  private OneDnn() {}

  private static MethodHandle status(String name, MemoryLayout... arguments) {
    return bind(name, FunctionDescriptor.of(I, arguments));
  }

  private static MethodHandle bind(String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(LIBRARY.find(name).orElseThrow(), descriptor);
  }

  private static RuntimeException thrown(Throwable t) {
    return t instanceof RuntimeException r ? r : new IllegalStateException(t);
  }

  private static void check(int status, String what) {
    if (status != 0) {
      throw new KernelException(
          "[convolution] oneDNN must succeed; "
              + what
              + " returned "
              + status
              + "; compute convolutions as matrix products with -Dristretto.cpu.dnn=own");
    }
  }

  /** Creates an object and writes its handle to an address. */
  private interface Maker {
    int make(long holder, Arena arena) throws Throwable;
  }

  /** Creates an object and returns its handle. */
  private static long made(String what, Maker maker) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment holder = arena.allocate(P);
      check(maker.make(holder.address(), arena), what);
      return holder.get(P, 0);
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  /** Addresses of the arrays of strides, dilations and padding. */
  private record Windows(long strides, long dilations, long padding) {}

  /** Creates the descriptor of a convolution and writes its handle to an address. */
  private interface Describer {
    int describe(long holder, Windows windows) throws Throwable;
  }

  /** Returns the handle of a convolution's descriptor; 0 if oneDNN does not implement it. */
  private static long convolution(String what, Sizes s, Describer describer) {
    return made(
        what,
        (to, arena) -> {
          var windows =
              new Windows(
                  numbers(arena, s.strides),
                  numbers(arena, s.dilations),
                  numbers(arena, s.padding));
          int status = describer.describe(to, windows);
          return status == UNIMPLEMENTED ? 0 : status;
        });
  }

  private static long numbers(Arena arena, long[] values) {
    return arena.allocateFrom(P, values).address();
  }

  /** Version of the library, such as "3.11.0". */
  static String version() {
    try {
      MemorySegment numbers = ((MemorySegment) VERSION.invokeExact()).reinterpret(3 * I.byteSize());
      return numbers.getAtIndex(I, 0)
          + "."
          + numbers.getAtIndex(I, 1)
          + "."
          + numbers.getAtIndex(I, 2);
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  /**
   * Limits oneDNN to the calling thread; returns the previous number of threads for {@link
   * #restore}.
   */
  static int alone() {
    try {
      int threads = (int) THREADS.invokeExact();
      SET_THREADS.invokeExact(1);
      return threads;
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  /** Undoes {@link #alone}. */
  static void restore(int threads) {
    try {
      SET_THREADS.invokeExact(threads);
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  static void destroy(Kind kind, long handle) {
    try {
      int _ = (int) kind.destroy.invokeExact(handle);
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  static long stream() {
    return made(
        "dnnl_stream_create", (to, _) -> (int) STREAM.invokeExact(to, ENGINE_OF_ALL, ORDERED));
  }

  /** Creates attributes for primitives whose scratch memory the caller supplies. */
  static long attributes() {
    long attributes =
        made("dnnl_primitive_attr_create", (to, _) -> (int) ATTRIBUTES.invokeExact(to));
    try {
      check((int) SCRATCH.invokeExact(attributes, SCRATCH_OF_USER), "a mode of scratch memory");
    } catch (Throwable t) {
      throw thrown(t);
    }
    return attributes;
  }

  /** Creates a row-major layout. */
  static long plain(long... extents) {
    long[] strides = new long[extents.length];
    long stride = 1;
    for (int d = extents.length - 1; d >= 0; d--) {
      strides[d] = stride;
      stride *= extents[d];
    }
    return made(
        "dnnl_memory_desc_create_with_strides",
        (to, arena) ->
            (int)
                PLAIN.invokeExact(
                    to, extents.length, numbers(arena, extents), F32, numbers(arena, strides)));
  }

  /** Creates a layout whose order the primitive chooses. */
  static long open(long... extents) {
    return made(
        "dnnl_memory_desc_create_with_tag",
        (to, arena) ->
            (int) OPEN.invokeExact(to, extents.length, numbers(arena, extents), F32, ANY));
  }

  static boolean equal(long layout, long other) {
    try {
      return (int) EQUAL.invokeExact(layout, other) != 0;
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  static long bytes(long layout) {
    try {
      return (long) BYTES.invokeExact(layout);
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  /** Creates a memory object of a layout; its address is set later. */
  static long memory(long layout) {
    return made(
        "dnnl_memory_create", (to, _) -> (int) MEMORY.invokeExact(to, layout, ENGINE_OF_ALL, 0L));
  }

  static void place(long memory, long address) {
    try {
      check((int) SET.invokeExact(memory, address), "dnnl_memory_set_data_handle");
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  static void execute(long primitive, long stream, int count, long arguments) {
    try {
      check(
          (int) EXECUTE.invokeExact(primitive, stream, count, arguments), "dnnl_primitive_execute");
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  /**
   * Layouts and windows of a convolution, as oneDNN expects them.
   *
   * @param dilations dilation minus 1 per dimension
   */
  record Sizes(
      long image, long filter, long result, long[] strides, long[] dilations, long[] padding) {}

  /** Describes the forward convolution; 0 if oneDNN does not implement it. */
  static long results(Sizes s, long attributes) {
    return convolution(
        "dnnl_convolution_forward_primitive_desc_create",
        s,
        (to, w) ->
            (int)
                RESULTS.invokeExact(
                    to,
                    ENGINE_OF_ALL,
                    FORWARD,
                    DIRECT,
                    s.image,
                    s.filter,
                    0L,
                    s.result,
                    w.strides,
                    w.dilations,
                    w.padding,
                    w.padding,
                    attributes));
  }

  /**
   * Describes the convolution's gradient with respect to the images; 0 if oneDNN does not implement
   * it.
   *
   * @param hint descriptor of the forward convolution
   */
  static long images(Sizes s, long hint, long attributes) {
    return convolution(
        "dnnl_convolution_backward_data_primitive_desc_create",
        s,
        (to, w) ->
            (int)
                IMAGES.invokeExact(
                    to,
                    ENGINE_OF_ALL,
                    DIRECT,
                    s.image,
                    s.filter,
                    s.result,
                    w.strides,
                    w.dilations,
                    w.padding,
                    w.padding,
                    hint,
                    attributes));
  }

  /**
   * Describes the convolution's gradient with respect to the filters; 0 if oneDNN does not
   * implement it.
   *
   * @param hint descriptor of the forward convolution
   */
  static long filters(Sizes s, long hint, long attributes) {
    return convolution(
        "dnnl_convolution_backward_weights_primitive_desc_create",
        s,
        (to, w) ->
            (int)
                FILTERS.invokeExact(
                    to,
                    ENGINE_OF_ALL,
                    DIRECT,
                    s.image,
                    s.filter,
                    0L,
                    s.result,
                    w.strides,
                    w.dilations,
                    w.padding,
                    w.padding,
                    hint,
                    attributes));
  }

  /** Describes a copy to another layout. */
  static long reorder(long from, long to, long attributes) {
    return made(
        "dnnl_reorder_primitive_desc_create",
        (holder, _) ->
            (int) REORDER.invokeExact(holder, from, ENGINE_OF_ALL, to, ENGINE_OF_ALL, attributes));
  }

  /** Describes a sum of {@code count} operands of one layout, added in their order. */
  static long sum(long layout, int count, long attributes) {
    float[] ones = new float[count];
    Arrays.fill(ones, 1);
    long[] layouts = new long[count];
    Arrays.fill(layouts, layout);
    return made(
        "dnnl_sum_primitive_desc_create",
        (to, arena) -> {
          long scales = arena.allocateFrom(ValueLayout.JAVA_FLOAT, ones).address();
          long all = numbers(arena, layouts);
          return (int) SUM.invokeExact(to, ENGINE_OF_ALL, layout, count, scales, all, attributes);
        });
  }

  /** Name of the implementation that oneDNN selected. */
  static String words(long description) {
    long text =
        made(
            "dnnl_primitive_desc_query",
            (to, _) -> (int) QUERY.invokeExact(description, IMPLEMENTATION, 0, to));
    return MemorySegment.ofAddress(text).reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** Layout of an operand, valid as long as the descriptor. */
  static long layout(long description, Role role) {
    try {
      return (long) LAYOUT.invokeExact(description, role.query, 0);
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  static long primitive(long description) {
    return made("dnnl_primitive_create", (to, _) -> (int) PRIMITIVE.invokeExact(to, description));
  }
}
