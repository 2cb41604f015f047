package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I64;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.expr.option.TensorFormat;
import ristretto.expr.type.F32;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

/** Tensors in streams. */
class StreamsTest {
  private static final Context CTX = Context.open("cpu");

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static byte[] written(TensorFormat format, Map<String, Tensor<?>> tensors) {
    var out = new ByteArrayOutputStream();
    CTX.saveAll(out, format, tensors);
    return out.toByteArray();
  }

  private static Map<String, Tensor<?>> read(byte[] bytes) {
    return CTX.loadAll(new ByteArrayInputStream(bytes));
  }

  @ParameterizedTest
  @EnumSource(value = TensorFormat.class, names = "PYTORCH", mode = EnumSource.Mode.EXCLUDE)
  void tensorsComeBack(TensorFormat format) {
    // Longer than a block of the reader.
    float[] values = new float[5_000_011];
    var random = new Random(1);
    for (int k = 0; k < values.length; k++) {
      values[k] = random.nextFloat();
    }
    Tensor<F32> x = CTX.tensor(values);
    String name = format == TensorFormat.NPY ? "" : "x";
    Map<String, Tensor<?>> back = read(written(format, Map.of(name, x)));
    assertThat(back).containsOnlyKeys(name);
    assertThat(back.get(name).as(F32).toFloatArray()).isEqualTo(values);
  }

  @Test
  void severalTensorsKeepTheirNamesAndDtypes() {
    Map<String, Tensor<?>> some =
        Map.of("a", CTX.tensor(new float[] {1, 2}), "b", CTX.tensor(new long[] {3}));
    for (TensorFormat format : new TensorFormat[] {TensorFormat.NPZ, TensorFormat.SAFETENSORS}) {
      Map<String, Tensor<?>> back = read(written(format, some));
      assertThat(back.get("a").as(F32).toFloatArray()).containsExactly(1, 2);
      assertThat(back.get("b").as(I64).toLongArray()).containsExactly(3);
    }
  }

  @Test
  void streamsStayOpen() throws IOException {
    var closed = new boolean[1];
    try (var out =
        new ByteArrayOutputStream() {
          @Override
          public void close() {
            closed[0] = true;
          }
        }) {
      CTX.saveAll(out, TensorFormat.NPY, Map.of("", CTX.tensor(new float[3])));
      assertThat(closed[0]).isFalse();
      CTX.loadAll(
          new ByteArrayInputStream(out.toByteArray()) {
            @Override
            public void close() {
              closed[0] = true;
            }
          });
      assertThat(closed[0]).isFalse();
    }
  }

  @Test
  void contentThatEndsEarlyIsRefused() {
    byte[] bytes = written(TensorFormat.NPY, Map.of("", CTX.tensor(new float[100])));
    assertThatThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length - 1)))
        .isInstanceOf(FileFormatException.class)
        .hasMessageContaining("of the stream");
    assertThatThrownBy(() -> read(new byte[0]))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[load] header length must lie within the file; got 8 bytes where 0 are left at byte"
                + " 0 of the stream; the file is truncated or damaged");
  }

  @Test
  void streamsThatFailAreNamed() {
    var in =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("connection reset");
          }
        };
    assertThatThrownBy(() -> CTX.loadAll(in))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[load] a stream must be readable; got java.io.IOException: connection reset; check"
                + " where it comes from and goes to");
    var out =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("no space");
          }
        };
    Map<String, Tensor<?>> one = Map.of("x", CTX.tensor(new float[3]));
    assertThatThrownBy(() -> CTX.saveAll(out, TensorFormat.SAFETENSORS, one))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[save] a stream must be writable; got java.io.IOException: no space; check where it"
                + " comes from and goes to");
  }

  @Test
  void formatsThatDoNotFitAreRefused() {
    Map<String, Tensor<?>> one = Map.of("x", CTX.tensor(new float[3]));
    assertThatThrownBy(() -> written(TensorFormat.PYTORCH, one))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[save] tensors must be saved as NPY, NPZ or SAFETENSORS; got PYTORCH for a stream;"
                + " PyTorch reads safetensors");
    assertThatThrownBy(() -> written(TensorFormat.NPY, Map.of()))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[save] a .npy file must have one tensor; got 0 for NPY for a stream; save them as"
                + " .npz");
  }

  @Test
  void javaSerializationNamesTheWay() throws IOException {
    Tensor<F32> x = CTX.tensor(new float[] {1, 2});
    var y = CTX.zeros(F32, 2);
    Program program = CTX.record(() -> CTX.assign(y, x.plus(1)));
    assertThat(refusal(x))
        .isEqualTo(
            "[serialize] tensors and expressions must stay in their process, which has the"
                + " device's memory; got f32[2]; send bytes: ctx.saveAll(stream, SAFETENSORS,"
                + " Map.of(name, tensor)) here and ctx.loadAll(stream) there");
    assertThat(refusal(x.plus(1))).startsWith("[serialize] tensors and expressions must stay");
    assertThat(refusal(CTX))
        .isEqualTo(
            "[serialize] a context must stay in its process, which has the device; open one where"
                + " it is needed, once per process");
    assertThat(refusal(program))
        .isEqualTo(
            "[serialize] a program must stay in its process, which has the device; record it where"
                + " it runs");
  }

  private static String refusal(Object o) throws IOException {
    try (var out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
      out.writeObject(o);
      throw new AssertionError("must be refused");
    } catch (NotSerializableException e) {
      return e.getMessage();
    }
  }
}
