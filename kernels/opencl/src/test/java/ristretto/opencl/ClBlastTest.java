package ristretto.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Conformance;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.driver.BlasChoice;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

class ClBlastTest {
  private static final String PROPERTY = "ristretto.opencl.blas";

  private static OpenClDevice open() {
    Hardware hardware = TestDevice.required();
    Assumptions.assumeTrue(ClBlast.missing().isEmpty(), ClBlast.missing());
    return new OpenClDevice(hardware, 0, OpenClDevice.targetOf(hardware), BlasChoice.LIBRARY);
  }

  /** Transposed, padded, shifted, batched, with factors, and not reading what is to be written. */
  @Test
  void productsAreThoseOfTheInterpreter() {
    try (var device = open()) {
      var random = new Random(5);
      for (int k = 0; k < 60; k++) {
        // A product: the first number is the kind, the third is not 0 in the place of a scatter.
        Conformance.check(
            device, Stream.concat(Stream.of(7), random.ints(90, 0, 5040).boxed()).toList());
      }
    }
  }

  @Test
  void factorsAndLargeMatricesWork() {
    try (var device = open()) {
      for (ScalarType type : List.of(ScalarType.F32, ScalarType.F64)) {
        check(device, type, 700, 600, 650);
      }
    }
  }

  private static void check(OpenClDevice device, ScalarType type, int m, int n, int depth) {
    Kernel.Gemm kernel = product(type, m, n, depth);
    assertThat(device.blast.takes(kernel)).isTrue();
    int size = type.bytes();
    try (Buffer a = device.allocate((long) m * depth * size);
        Buffer b = device.allocate((long) depth * n * size);
        Buffer c = device.allocate((long) m * n * size)) {
      device.write(a, 0, values(type, m * depth, i -> i % 7 - 3));
      device.write(b, 0, values(type, depth * n, i -> i % 5 - 2));
      device.write(c, 0, values(type, m * n, i -> i % 3));
      long scale =
          type == ScalarType.F32 ? Float.floatToRawIntBits(3) : Double.doubleToRawLongBits(3);
      device.prepare(kernel).run(new Buffer[] {a, b, c}, new long[] {scale});
      var result = MemorySegment.ofArray(new byte[m * n * size]);
      device.read(c, 0, result);
      for (int at : new int[] {0, n - 1, m * n / 2 + 17, m * n - 1}) {
        double sum = 0;
        for (int d = 0; d < depth; d++) {
          sum += (double) ((at / n * depth + d) % 7 - 3) * ((d * n + at % n) % 5 - 2);
        }
        double expected = 2 * 3 * sum - at % 3;
        assertThat(value(type, result, at)).isEqualTo(expected);
      }
    }
  }

  private static Kernel.Gemm product(ScalarType type, long m, long n, long depth) {
    return new Kernel.Gemm(
        "gemm",
        type,
        Longs.of(),
        m,
        n,
        depth,
        matrix(type, 0, depth),
        matrix(type, 1, n),
        matrix(type, 2, n),
        2,
        Optional.of(new Operand.Value(type, 0)),
        -1);
  }

  private static Operand.Memory matrix(ScalarType type, int buffer, long columns) {
    return new Operand.Memory(type, buffer, new Affine(0, Longs.of(columns, 1)));
  }

  private static MemorySegment values(
      ScalarType type, int n, java.util.function.IntUnaryOperator value) {
    if (type == ScalarType.F64) {
      double[] all = new double[n];
      java.util.Arrays.setAll(all, value::applyAsInt);
      return MemorySegment.ofArray(all);
    }
    float[] all = new float[n];
    for (int i = 0; i < n; i++) {
      all[i] = value.applyAsInt(i);
    }
    return MemorySegment.ofArray(all);
  }

  private static double value(ScalarType type, MemorySegment from, int at) {
    return type == ScalarType.F64
        ? from.get(java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * at)
        : from.get(java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * at);
  }

  @Test
  void whatItDoesNotTakeGoesToOurKernels() {
    Kernel.Gemm k = product(ScalarType.F32, 4, 4, 4);
    assertThat(BlasCalls.fits(k)).isTrue();
    // Rows that are one row.
    var same = new Operand.Memory(ScalarType.F32, 0, new Affine(0, Longs.of(0, 1)));
    var reversed = new Operand.Memory(ScalarType.F32, 0, new Affine(12, Longs.of(-4, 1)));
    for (Operand.Memory a : List.of(same, reversed)) {
      assertThat(
              BlasCalls.fits(
                  new Kernel.Gemm(
                      "gemm", ScalarType.F32, Longs.of(), 4, 4, 4, a, k.b(), k.c(), 1, 0)))
          .isFalse();
    }
    assertThat(BlasCalls.fits(product(ScalarType.F32, 4, 4, 0))).isFalse();
  }

  @Test
  void largeProductsOnGpusAreItsOwn() {
    Assumptions.assumeTrue(ClBlast.missing().isEmpty(), ClBlast.missing());
    var gpu = new ClBlast("opencl:0", false, BlasChoice.AUTO);
    assertThat(gpu.takes(product(ScalarType.F32, 512, 512, 512))).isTrue();
    assertThat(gpu.takes(product(ScalarType.F32, 512, 512, 511))).isFalse();
    assertThat(gpu.words())
        .isEqualTo(
            "matrix products of at least 2^27 multiply-adds by CLBlast, smaller ones by built-in"
                + " kernels, because CLBlast takes seconds to compile its programs");
    var processor = new ClBlast("opencl:0", true, BlasChoice.AUTO);
    assertThat(processor.takes(product(ScalarType.F32, 512, 512, 512))).isFalse();
    assertThat(processor.words())
        .isEqualTo(
            "matrix products by built-in kernels, which are faster than CLBlast on processors");
    var own = new ClBlast("opencl:0", false, BlasChoice.OWN);
    assertThat(own.takes(product(ScalarType.F32, 512, 512, 512))).isFalse();
    assertThat(own.words())
        .isEqualTo("matrix products by built-in kernels, as -Dristretto.opencl.blas=own says");
  }

  @Test
  void aDeviceWithoutItSaysSo() {
    assertThat(ClBlast.note(false, "JOCLBlast is not on the path"))
        .isEqualTo(", matrix products by built-in kernels: JOCLBlast is not on the path");
    assertThat(ClBlast.note(false, "")).isEmpty();
    assertThat(ClBlast.note(true, "")).isEmpty();
  }

  /** In other processes, because a process loads a library once. */
  @Test
  void itIsFoundOnTheClassPathAndOnTheModulePath(@TempDir Path empty) throws Exception {
    TestDevice.required();
    assertThat(probe(empty, "-cp", path(_ -> true), BlasProbe.class.getName())).isEmpty();
    Path modules = Files.createDirectory(empty.resolve("modules"));
    String tests = entry("kernels/opencl/target/test-classes");
    List<String> options =
        List.of(
            "-p",
            path(e -> !e.equals(tests) && !e.endsWith("-tests.jar")),
            "--enable-native-access=ristretto.opencl,jocl,jocl.blast",
            "--add-modules",
            "ristretto.opencl",
            "--patch-module",
            "ristretto.opencl=" + tests,
            "-m",
            "ristretto.opencl/" + BlasProbe.class.getName());
    assertThat(probe(modules, options.toArray(String[]::new))).isEmpty();
    try (Stream<Path> copied = Files.walk(modules)) {
      assertThat(copied.map(p -> p.getFileName().toString()))
          .anyMatch(name -> name.contains("clblast"))
          .anyMatch(name -> name.contains("JOCLBlast"));
    }
  }

  @Test
  void withoutItOwnKernelsWork(@TempDir Path empty) throws Exception {
    TestDevice.required();
    String without = path(e -> !e.contains("jocl-blast"));
    assertThat(probe(empty, "-cp", without, BlasProbe.class.getName()))
        .isEqualTo("JOCLBlast is not on the path");
    assertThat(
            probe(
                empty,
                "-D" + PROPERTY + "=clblast",
                "-cp",
                without,
                BlasProbe.class.getName(),
                "open"))
        .isEqualTo(
            "[opencl:0] -Dristretto.opencl.blas=clblast needs CLBlast; JOCLBlast is not on the"
                + " path; put org.jocl:jocl-blast on the path, or remove -D"
                + PROPERTY);
    assertThat(probe(empty, "-cp", without, BlasProbe.class.getName(), "open"))
        .startsWith("matrix products by built-in kernels");
  }

  private static final List<String> PATH =
      List.of(System.getProperty("java.class.path").split(File.pathSeparator));

  private static String path(Predicate<String> which) {
    return PATH.stream().filter(which).collect(Collectors.joining(File.pathSeparator));
  }

  private static String entry(String end) {
    return PATH.stream().filter(e -> e.replace('\\', '/').endsWith(end)).findFirst().orElseThrow();
  }

  /** Output of a process that keeps its files in {@code folder}. */
  private static String probe(Path folder, String... words) throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dristretto.cache=" + folder);
    command.add("-Djava.io.tmpdir=" + folder);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of(words));
    var builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return out.strip();
  }

  @Test
  void theChoiceIsOneOfThree() {
    try {
      System.setProperty(PROPERTY, "own");
      assertThat(BlasChoice.fromSystem("opencl", "clblast")).isEqualTo(BlasChoice.OWN);
      System.setProperty(PROPERTY, "mkl");
      assertThatThrownBy(() -> BlasChoice.fromSystem("opencl", "clblast"))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[opencl] the matrix product library must be auto, clblast or own; got \"mkl\";"
                  + " correct -Dristretto.opencl.blas");
    } finally {
      System.clearProperty(PROPERTY);
    }
    assertThat(BlasChoice.fromSystem("opencl", "clblast")).isEqualTo(BlasChoice.AUTO);
  }
}
