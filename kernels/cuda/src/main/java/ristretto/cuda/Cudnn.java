package ristretto.cuda;

import static ristretto.cuda.Library.INT;
import static ristretto.cuda.Library.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.DeviceException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Kernel.Convolution.Made;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/**
 * cuDNN, NVIDIA's library of convolutions, version 8 or 9, built for a CUDA version that the driver
 * supports.
 */
final class Cudnn {
  private static final int ROW_MAJOR = 0;
  private static final int CROSS_CORRELATION = 1;
  private static final int FLOAT = 0;
  private static final int DOUBLE = 1;
  private static final int DEFAULT_MATH = 0;

  /** Math type that excludes TF32. */
  private static final int FMA_MATH = 3;

  private static final int DETERMINISTIC = 1;

  /**
   * Size of an algorithm's performance record: number, status, time, memory, determinism, math
   * type, reserved.
   */
  private static final long CHOICE_BYTES = 48;

  private static final long CHOICE_STATUS = 4;
  private static final long CHOICE_MEMORY = 16;
  private static final long CHOICE_DETERMINISM = 24;
  private static final int CHOICES = 16;

  /** Maximum workspace of an algorithm in bytes. */
  private static final long MOST_MEMORY = 1L << 30;

  private static final Cleaner CLEANER = Cleaner.create();

  private static Optional<Cudnn> found;

  /** Version of the library, such as "9.1.0". */
  final String version;

  private final MethodHandle create;
  private final MethodHandle destroy;
  private final MethodHandle setStream;
  private final Description images;
  private final Description filters;
  private final Description windows;
  private final MethodHandle setGroups;
  private final MethodHandle setMath;
  private final Routine results;
  private final Routine ofImages;
  private final Routine ofFilters;

  /** Functions that create, fill and destroy one kind of descriptor. */
  private record Description(
      MethodHandle create, MethodHandle set, MethodHandle destroy, String function) {}

  /** Functions that choose an algorithm for one kind of convolution and run it. */
  private record Routine(MethodHandle choose, MethodHandle run, String function) {}

  private Cudnn(Library library, String version) {
    this.version = version;
    create = library.function("cudnnCreate", LONG);
    destroy = library.function("cudnnDestroy", LONG);
    setStream = library.function("cudnnSetStream", LONG, LONG);
    images =
        new Description(
            library.function("cudnnCreateTensorDescriptor", LONG),
            library.function("cudnnSetTensorNdDescriptor", LONG, INT, INT, LONG, LONG),
            library.function("cudnnDestroyTensorDescriptor", LONG),
            "cudnnSetTensorNdDescriptor");
    filters =
        new Description(
            library.function("cudnnCreateFilterDescriptor", LONG),
            library.function("cudnnSetFilterNdDescriptor", LONG, INT, INT, INT, LONG),
            library.function("cudnnDestroyFilterDescriptor", LONG),
            "cudnnSetFilterNdDescriptor");
    windows =
        new Description(
            library.function("cudnnCreateConvolutionDescriptor", LONG),
            library.function(
                "cudnnSetConvolutionNdDescriptor", LONG, INT, LONG, LONG, LONG, INT, INT),
            library.function("cudnnDestroyConvolutionDescriptor", LONG),
            "cudnnSetConvolutionNdDescriptor");
    setGroups = library.function("cudnnSetConvolutionGroupCount", LONG, INT);
    setMath = library.function("cudnnSetConvolutionMathType", LONG, INT);
    results = routine(library, "cudnnGetConvolutionForwardAlgorithm_v7", "cudnnConvolutionForward");
    ofImages =
        routine(
            library, "cudnnGetConvolutionBackwardDataAlgorithm_v7", "cudnnConvolutionBackwardData");
    ofFilters =
        routine(
            library,
            "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
            "cudnnConvolutionBackwardFilter");
  }

  private static Routine routine(Library library, String choose, String run) {
    return new Routine(
        library.function(choose, LONG, LONG, LONG, LONG, LONG, INT, LONG, LONG),
        library.function(
            run, LONG, LONG, LONG, LONG, LONG, LONG, LONG, INT, LONG, LONG, LONG, LONG, LONG),
        run);
  }

  /** Returns the library; empty if it is not installed. */
  static synchronized Optional<Cudnn> find(Driver driver) {
    if (found == null || found.isEmpty()) {
      int cuda = driver.version / 1000;
      // cuDNN loads cuBLAS by name and finds the copy that is loaded already.
      Cublas.find(driver);
      found = search(new Libraries(cuda), cuda);
    }
    return found;
  }

  /**
   * Searches for a cuDNN that the driver supports.
   *
   * @param cuda major version of the driver's CUDA
   */
  static Optional<Cudnn> search(Libraries libraries, int cuda) {
    return libraries
        .versioned("cudnn", List.of(9, 8))
        .flatMap(l -> of(l, cuda).stream())
        .findFirst();
  }

  private static Optional<Cudnn> of(Library library, int cuda) {
    long made = library.number("cudnnGetCudartVersion") / 1000;
    if (made > cuda) {
      Debug.log(
          Debug.DEVICES,
          () ->
              "[cuda] %s is ignored: it is for CUDA %s, the driver for %s"
                  .formatted(library.file(), made, cuda));
      return Optional.empty();
    }
    long version = library.number("cudnnGetVersion");
    long major = version >= 90_000 ? version / 10_000 : version / 1000;
    long rest = version >= 90_000 ? version % 10_000 : version % 1000;
    return Optional.of(new Cudnn(library, major + "." + rest / 100 + "." + rest % 100));
  }

  static void check(int status, String function) {
    if (status != 0) {
      throw new DeviceException(
          ("[convolution] cuDNN must succeed; %s returned %s; install cuDNN of the driver's"
                  + " version of CUDA, or compute convolutions as matrix products with"
                  + " -Dristretto.cuda.dnn=own")
              .formatted(function, status));
    }
  }

  /** Opens a handle on the device's stream, in the current context. */
  Session open(CudaDevice device, boolean tf32) {
    return new Session(device, tf32);
  }

  /** cuDNN handle bound to one stream; all calls hold the device's lock. */
  final class Session {
    private final long handle;
    private final boolean tf32;

    private Session(CudaDevice device, boolean tf32) {
      this.tf32 = tf32;
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment holder = arena.allocate(LONG);
        check((int) create.invokeExact(holder.address()), "cudnnCreate");
        handle = holder.get(LONG, 0);
        long stream = device.stream.handle();
        check((int) setStream.invokeExact(handle, stream), "cudnnSetStream");
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    /** Plans the convolution with a deterministic algorithm; empty if there is none. */
    Optional<Plan> plan(Kernel.Convolution kernel) {
      var parts = new Parts();
      var plan = new Plan(kernel, handle, parts);
      CLEANER.register(plan, parts);
      plan.describe(tf32);
      return plan.choose() ? Optional.of(plan) : Optional.empty();
    }

    void close() {
      try {
        int _ = (int) destroy.invokeExact(handle);
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }
  }

  /** Descriptors that cuDNN allocated, freed when the plan becomes unreachable. */
  private static final class Parts implements Runnable {
    private record Part(MethodHandle destroy, long address) {}

    private final List<Part> parts = new ArrayList<>();

    long create(Description d, Arena arena) throws Throwable {
      MemorySegment holder = arena.allocate(LONG);
      check((int) d.create.invokeExact(holder.address()), d.function);
      long address = holder.get(LONG, 0);
      parts.add(new Part(d.destroy, address));
      return address;
    }

    @Override
    public void run() {
      try {
        for (Part part : parts) {
          int _ = (int) part.destroy.invokeExact(part.address);
        }
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }
  }

  /** Convolution with its selected algorithm. Used under its device's lock. */
  final class Plan {
    private final Kernel.Convolution kernel;
    private final long handle;
    private final Parts parts;
    private final Routine routine;

    /** Scaling factors one and zero. */
    private final MemorySegment factors = Arena.ofAuto().allocate(16, 16);

    private long first;
    private long second;
    private long third;
    private long window;
    private int algorithm;
    private long memory;

    private Plan(Kernel.Convolution kernel, long handle, Parts parts) {
      this.kernel = kernel;
      this.handle = handle;
      this.parts = parts;
      routine =
          switch (kernel.made()) {
            case RESULTS -> results;
            case IMAGES -> ofImages;
            case FILTERS -> ofFilters;
          };
      if (kernel.type() == ScalarType.F64) {
        factors.set(ValueLayout.JAVA_DOUBLE, 0, 1);
      } else {
        factors.set(ValueLayout.JAVA_FLOAT, 0, 1);
      }
    }

    private void describe(boolean tf32) {
      int type = kernel.type() == ScalarType.F64 ? DOUBLE : FLOAT;
      try (Arena arena = Arena.ofConfined()) {
        long image = tensor(arena, type, kernel.images());
        long result = tensor(arena, type, kernel.results());
        long filter = parts.create(filters, arena);
        int[] sizes = extents(kernel.filters());
        MemorySegment dims = arena.allocateFrom(INT, sizes);
        check(
            (int) filters.set.invokeExact(filter, type, ROW_MAJOR, sizes.length, dims.address()),
            filters.function);
        window = parts.create(windows, arena);
        var at = kernel.windows();
        long padding = numbers(arena, at.padding(), 0).address();
        long strides = numbers(arena, at.strides(), 1).address();
        long dilations = numbers(arena, at.dilations(), 1).address();
        check(
            (int)
                windows.set.invokeExact(
                    window, sizes.length - 2, padding, strides, dilations, CROSS_CORRELATION, type),
            windows.function);
        int groups = Math.toIntExact(at.groups());
        check((int) setGroups.invokeExact(window, groups), "cudnnSetConvolutionGroupCount");
        int math = tf32 ? DEFAULT_MATH : FMA_MATH;
        check((int) setMath.invokeExact(window, math), "cudnnSetConvolutionMathType");
        // In the order of the parameters of the library's function.
        Made made = kernel.made();
        first = made == Made.IMAGES ? filter : image;
        second = made == Made.RESULTS ? filter : result;
        third = made == Made.RESULTS ? result : made == Made.IMAGES ? image : filter;
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    private long tensor(Arena arena, int type, Longs dims) throws Throwable {
      long made = parts.create(images, arena);
      int[] sizes = extents(dims);
      int[] strides = new int[sizes.length];
      int stride = 1;
      for (int d = sizes.length - 1; d >= 0; d--) {
        strides[d] = stride;
        stride = Math.multiplyExact(stride, sizes[d]);
      }
      MemorySegment extents = arena.allocateFrom(INT, sizes);
      MemorySegment steps = arena.allocateFrom(INT, strides);
      check(
          (int)
              images.set.invokeExact(made, type, sizes.length, extents.address(), steps.address()),
          images.function);
      return made;
    }

    /**
     * Pads the shape to at least four dimensions, cuDNN's minimum, by spatial dimensions of extent
     * 1.
     */
    private static int[] extents(Longs dims) {
      int more = Math.max(0, 4 - dims.size());
      int[] all = new int[dims.size() + more];
      for (int d = 0; d < all.length; d++) {
        all[d] = d < 2 ? (int) dims.get(d) : d < 2 + more ? 1 : (int) dims.get(d - more);
      }
      return all;
    }

    private static MemorySegment numbers(Arena arena, Longs values, int otherwise) {
      int more = Math.max(0, 2 - values.size());
      int[] all = new int[values.size() + more];
      for (int d = 0; d < all.length; d++) {
        all[d] = d < more ? otherwise : Math.toIntExact(values.get(d - more));
      }
      return arena.allocateFrom(INT, all);
    }

    private boolean choose() {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment count = arena.allocate(INT);
        MemorySegment choices = arena.allocate(CHOICE_BYTES * CHOICES, 8);
        int status =
            (int)
                routine.choose.invokeExact(
                    handle,
                    first,
                    second,
                    window,
                    third,
                    CHOICES,
                    count.address(),
                    choices.address());
        if (status != 0) {
          return false;
        }
        // Candidates are sorted by time, fastest first.
        for (int k = 0; k < count.get(INT, 0); k++) {
          MemorySegment choice = choices.asSlice(k * CHOICE_BYTES, CHOICE_BYTES);
          boolean works = choice.get(INT, CHOICE_STATUS) == 0;
          if (works
              && choice.get(INT, CHOICE_DETERMINISM) == DETERMINISTIC
              && choice.get(LONG, CHOICE_MEMORY) <= MOST_MEMORY) {
            algorithm = choice.get(INT, 0);
            memory = choice.get(LONG, CHOICE_MEMORY);
            return true;
          }
        }
        return false;
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    /** Name of the library's function and the number of its algorithm. */
    String words() {
      return routine.function + " with algorithm " + algorithm;
    }

    /** Size of the workspace in bytes. */
    long memory() {
      return memory;
    }

    /**
     * Enqueues the convolution.
     *
     * @param room address of the workspace
     */
    void run(long image, long filter, long result, long room) {
      Made made = kernel.made();
      long a = made == Made.IMAGES ? filter : image;
      long b = made == Made.RESULTS ? filter : result;
      long c = made == Made.RESULTS ? result : made == Made.IMAGES ? image : filter;
      long one = factors.address();
      long zero = one + 8;
      try {
        int status =
            (int)
                routine.run.invokeExact(
                    handle, one, first, a, second, b, window, algorithm, room, memory, zero, third,
                    c);
        check(status, routine.function);
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }
  }
}
