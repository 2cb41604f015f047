package ristretto.symbolic.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxTensorLike;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** A file in ONNX Runtime beside the executor that wrote it. */
final class OnnxRun {
  private OnnxRun() {}

  /** Outputs for the inputs that the executor has, and their shapes. */
  static void compare(Path file, Executor executor, List<Variable<?>> outputs, double tolerance)
      throws OrtException {
    executor.forward();
    OrtEnvironment env = OrtEnvironment.getEnvironment();
    try (OrtSession session = env.createSession(file.toString())) {
      Map<String, OnnxTensorLike> inputs = new HashMap<>();
      for (Variable<?> v : executor.inputs()) {
        if (session.getInputNames().contains(v.name())) {
          inputs.put(v.name(), tensor(env, executor.tensor(v)));
        }
      }
      try (OrtSession.Result result = session.run(inputs)) {
        for (Variable<?> v : outputs) {
          Tensor<?> expected = executor.tensor(v);
          OnnxTensor found = (OnnxTensor) result.get(v.name()).orElseThrow();
          assertThat(found.getInfo().getShape()).isEqualTo(expected.shape().toArray());
          assertThat(numbers(found)).containsExactly(numbers(expected), within(tolerance));
        }
      }
    }
  }

  /** The shape of an output that a file declares, -1 for what is not known. */
  static long[] declared(Path file, Variable<?> output) throws OrtException {
    try (OrtSession session = OrtEnvironment.getEnvironment().createSession(file.toString())) {
      return ((TensorInfo) session.getOutputInfo().get(output.name()).getInfo()).getShape();
    }
  }

  private static OnnxTensor tensor(OrtEnvironment env, Tensor<?> t) throws OrtException {
    OnnxJavaType type =
        switch (t.dtype().toString()) {
          case "f32" -> OnnxJavaType.FLOAT;
          case "f64" -> OnnxJavaType.DOUBLE;
          case "i32" -> OnnxJavaType.INT32;
          case "i64" -> OnnxJavaType.INT64;
          case "bool" -> OnnxJavaType.BOOL;
          default -> throw new IllegalArgumentException(t.dtype().toString());
        };
    byte[] bytes = t.toByteArray();
    ByteBuffer data = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.nativeOrder());
    data.put(bytes).flip();
    return OnnxTensor.createTensor(env, data, t.shape().toArray(), type);
  }

  private static double[] numbers(OnnxTensor t) {
    ByteBuffer data = t.getByteBuffer().order(ByteOrder.nativeOrder());
    return switch (t.getInfo().type) {
      case FLOAT -> {
        float[] all = new float[data.remaining() / Float.BYTES];
        data.asFloatBuffer().get(all);
        yield doubles(all);
      }
      case DOUBLE -> {
        double[] all = new double[data.remaining() / Double.BYTES];
        data.asDoubleBuffer().get(all);
        yield all;
      }
      case INT32 -> {
        int[] all = new int[data.remaining() / Integer.BYTES];
        data.asIntBuffer().get(all);
        yield java.util.Arrays.stream(all).asDoubleStream().toArray();
      }
      case INT64 -> {
        long[] all = new long[data.remaining() / Long.BYTES];
        data.asLongBuffer().get(all);
        yield java.util.Arrays.stream(all).asDoubleStream().toArray();
      }
      default -> {
        double[] all = new double[data.remaining()];
        for (int k = 0; k < all.length; k++) {
          all[k] = data.get(k);
        }
        yield all;
      }
    };
  }

  private static double[] numbers(Tensor<?> t) {
    return t.context().eval(t.cast(Ops.F64)).toDoubleArray();
  }

  private static double[] doubles(float... values) {
    double[] all = new double[values.length];
    for (int k = 0; k < all.length; k++) {
      all[k] = values[k];
    }
    return all;
  }
}
