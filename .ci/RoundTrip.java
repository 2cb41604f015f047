import module java.base;
import module ristretto.expr;
import module ristretto.onnx;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import ristretto.symbolic.Executor;

/**
 * Takes the place of the constructor of an executor in an example: exports the model's outputs,
 * imports the file, compares the outputs for random inputs, and ends the script.
 */
final class RoundTrip {
  private static final long[] BATCHES = {3, 1, 4};

  private RoundTrip() {}

  static Executor of(Context ctx, long seed, Variable<?>... outputs) {
    var executor = new Executor(ctx, seed, outputs);
    double error = 0;
    try {
      Path file = Files.createTempFile("example", ".onnx");
      executor.exportOnnx(file, outputs);
      Model model = Onnx.load(ctx, file);
      for (long batch : BATCHES) {
        error = Math.max(error, error(ctx, executor, model, batch, outputs));
      }
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    boolean same = error < 2e-6;
    IO.println("result: outputs=" + outputs.length + " error=" + error);
    System.exit(same ? 0 : 1);
    return executor;
  }

  /** Returns the largest difference of an output, relative to its largest element. */
  private static double error(
      Context ctx, Executor executor, Model model, long batch, Variable<?>... outputs) {
    Map<String, Tensor<?>> given = new HashMap<>();
    for (Variable<?> v : executor.inputs()) {
      Tensor<?> t = sample(ctx, v, batch);
      set(executor, v, t);
      given.put(v.name(), t);
    }
    executor.forward();
    Map<String, Tensor<?>> found = model.run(given);
    double largest = 0;
    for (int k = 0; k < outputs.length; k++) {
      Tensor<F32> wanted = executor.tensor(outputs[k]).as(F32);
      Tensor<F32> result = found.get(model.outputs().get(k)).as(F32);
      if (!result.shape().equals(wanted.shape())) {
        throw new AssertionError(result + " differs in shape from " + wanted);
      }
      double scale = ctx.eval(max(abs(wanted))).item();
      // A loss may be zero.
      if (k == 0 && scale == 0) {
        throw new AssertionError("the output is zero: " + wanted);
      }
      double difference = ctx.eval(max(abs(result.minus(wanted)))).item();
      largest = Math.max(largest, difference / Math.max(scale, Float.MIN_NORMAL));
    }
    return largest;
  }

  /** Random input; integers, which may be classes or letters, are 0 or 1, and lengths 1 or 2. */
  private static Tensor<?> sample(Context ctx, Variable<?> v, long batch) {
    long[] dims = new long[v.dims().rank()];
    Arrays.setAll(dims, k -> v.dims().at(k) < 0 ? batch : v.dims().at(k));
    Expr<F32> values = uniform(F32, batch, dims);
    int least = v.name().equals("lengths") ? 1 : 0;
    return v.dtype() == F32
        ? ctx.eval(values)
        : ctx.eval(values.times(2).plus(least).cast(v.dtype()));
  }

  @SuppressWarnings("unchecked")
  private static <T> void set(Executor executor, Variable<T> v, Tensor<?> t) {
    executor.set(v, (Tensor<T>) t);
  }
}
