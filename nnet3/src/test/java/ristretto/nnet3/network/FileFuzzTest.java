package ristretto.nnet3.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.standin.Mutations;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.hmm.ContextTree;
import ristretto.nnet3.hmm.Topology;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.Posterior;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;
import ristretto.nnet3.train.RingExamples;

/**
 * Damaged files of each kind through their readers. Each is refused by an exception of the project,
 * or accepted, and then equal after it is written and read again; anything else is a bug. {@code
 * -Dristretto.fuzz=100000} tries more, {@code -Dristretto.fuzz.seed} others.
 */
class FileFuzzTest {
  private static final int TRIALS = Integer.getInteger("ristretto.fuzz", 3000);
  private static final long SEED = Long.getLong("ristretto.fuzz.seed", 1);
  private static final long MOST_SECONDS = 20;

  @TempDir private Path folder;
  private final List<Kind> kinds = new ArrayList<>();

  /**
   * A kind of file.
   *
   * @param whole a file without damage
   * @param reader returns what was read as text, and the same after it was written as it was read
   *     and read again; or nothing, of what is not written
   */
  private record Kind(String name, byte[] whole, Function<byte[], List<String>> reader) {}

  private static boolean binary(byte[] bytes) {
    return bytes.length > 1 && bytes[0] == 0 && bytes[1] == 'B';
  }

  private void addModels() {
    for (String file : List.of("model.raw", "model.txt")) {
      for (String name : Vectors.casesWith(file)) {
        if (name.startsWith("comp-") || name.startsWith("x-xvector")) {
          kinds.add(new Kind(name + "/" + file, Vectors.bytes(name, file), FileFuzzTest::model));
        }
      }
    }
  }

  private static List<String> model(byte[] bytes) {
    Nnet nnet = Nnet.read(KaldiInput.of("x", bytes));
    assertThat(nnet.info()).isNotEmpty();
    return again(nnet, nnet::write, binary(bytes), in -> Nnet.read(in)::write);
  }

  /** Text of something that was read, and of the same written and read again. */
  private static List<String> again(
      Object read,
      Consumer<KaldiOutput> writer,
      boolean binary,
      Function<KaldiInput, Consumer<KaldiOutput>> reader) {
    assertThat(read).isNotNull();
    byte[] written = KaldiOutput.bytes(binary, out -> writer.accept(out.exactText()));
    return List.of(text(writer), text(reader.apply(KaldiInput.of("y", written))));
  }

  private static String text(Consumer<KaldiOutput> writer) {
    byte[] text = KaldiOutput.bytes(false, out -> writer.accept(out.exactText()));
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  private void addTransitions() throws IOException {
    for (String file : List.of("model.mdl", "model.txt", "tree", "topo")) {
      try (var in = Vectors.class.getResourceAsStream("transitions/hmm4/" + file)) {
        byte[] bytes = in.readAllBytes();
        Function<byte[], List<String>> again =
            switch (file) {
              case "tree" -> b -> loaded(b, path -> ContextTree.load(path));
              case "topo" -> b -> loaded(b, path -> Topology.load(path));
              default ->
                  b -> {
                    var model = TransitionModel.read(KaldiInput.of("x", b));
                    return again(
                        model, model::write, binary(b), i -> TransitionModel.read(i)::write);
                  };
            };
        kinds.add(new Kind(file, bytes, again));
      }
    }
  }

  private List<String> loaded(byte[] bytes, Function<String, Object> load) {
    assertThat(load.apply(file("x", bytes).toString())).isNotNull();
    return List.of();
  }

  private Path file(String name, byte[] bytes) {
    try {
      return Files.write(folder.resolve(name), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private <T> void addTable(String name, Holder<T> holder, T value) throws IOException {
    for (String mode : List.of("ark:", "ark,t:")) {
      Path path = folder.resolve("whole");
      write(mode + path, holder, List.of("a", "ä", "c"), List.of(value, value, value));
      kinds.add(
          new Kind(mode + name, Files.readAllBytes(path), bytes -> table(mode, holder, bytes)));
    }
  }

  private static <T> void write(
      String wspecifier, Holder<T> holder, List<String> keys, List<T> values) {
    try (var out = TableWriter.open(wspecifier, holder)) {
      for (int k = 0; k < keys.size(); k++) {
        out.write(keys.get(k), values.get(k));
      }
      out.commit();
    }
  }

  /** Keys and values. */
  private record Entries<T>(List<String> keys, List<T> values) {
    static <T> Entries<T> read(Path file, Holder<T> holder) {
      var all = new Entries<T>(new ArrayList<>(), new ArrayList<>());
      try (var in = TableReader.open("ark:" + file, holder)) {
        while (in.next()) {
          all.keys.add(in.key());
          all.values.add(in.value());
        }
      }
      return all;
    }

    String write(String mode, Path file, Holder<T> holder) throws IOException {
      FileFuzzTest.write(mode + file, holder, keys, values);
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    }
  }

  private <T> List<String> table(String mode, Holder<T> holder, byte[] bytes) {
    try {
      Entries<T> read = Entries.read(file("x", bytes), holder);
      Path again = folder.resolve("again");
      read.write(mode, again, holder);
      Entries<T> second = Entries.read(again, holder);
      Path text = folder.resolve("text");
      return List.of(read.write("ark,t:", text, holder), second.write("ark,t:", text, holder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void addTables() throws IOException {
    Matrix matrix = Matrix.of(new float[] {1, -2.5f, 3}, new float[] {4, 5, 6});
    addTable("matrix", Holder.MATRIX, matrix);
    addTable("general", Holder.GENERAL_MATRIX, matrix);
    addTable("double", Holder.DOUBLE_MATRIX, new DoubleMatrix(1, 2, new double[] {1.5, 2}));
    for (CompressedMatrix.Method method : CompressedMatrix.Method.values()) {
      addTable("compressed " + method, Holder.GENERAL_MATRIX, CompressedMatrix.of(matrix, method));
    }
    var row = new SparseVector(9, new int[] {1, 5}, new float[] {1, 2});
    addTable("sparse", Holder.GENERAL_MATRIX, new SparseMatrix(List.of(row, row)));
    addTable("vector", Holder.VECTOR, new float[] {1, 2.25f});
    addTable("doubles", Holder.DOUBLE_VECTOR, new double[] {1, 2.25});
    addTable("int", Holder.INT, 7);
    addTable("float", Holder.FLOAT, 7.5f);
    addTable("ints", Holder.INTS, new int[] {3, -4, 5});
    addTable("token", Holder.TOKEN, "speaker");
    addTable(
        "posterior",
        Holder.POSTERIOR,
        new Posterior(new int[][] {{1, 2}, {}}, new float[][] {{0.5f, 0.5f}, {}}));
    addTable("egs", NnetExample.HOLDER, RingExamples.minibatch(new Random(1), 2));
  }

  private void addTexts() throws IOException {
    kinds.add(
        new Kind(
            "config",
            RingExamples.CONFIG.getBytes(StandardCharsets.UTF_8),
            bytes -> {
              String text = KaldiInput.text(file("x", bytes).toString(), "a config");
              assertThat(Nnet.fromConfig("x", text, 1)).isNotNull();
              return List.of();
            }));
    String request =
        """
        need-model-derivative 0
        input input has-deriv=0
        range n=0:1 t=-1:9
        output output has-deriv=0
        range n=0:1 t=0:8
        """;
    kinds.add(
        new Kind(
            "request",
            request.getBytes(StandardCharsets.UTF_8),
            bytes -> {
              String text = KaldiInput.text(file("x", bytes).toString(), "a request");
              assertThat(ComputationRequest.parse("x", text)).isNotNull();
              return List.of();
            }));
    Path value = folder.resolve("value");
    Files.writeString(value, "1\n");
    kinds.add(
        new Kind(
            "scp",
            "a %s\nb %s:0\n".formatted(value, value).getBytes(StandardCharsets.UTF_8),
            bytes -> {
              try (var in = TableReader.open("scp:" + file("x", bytes), Holder.INT)) {
                while (in.next()) {
                  assertThat(in.value()).isNotNull();
                }
              }
              return List.of();
            }));
  }

  /** A class of outcomes. */
  private enum Outcome {
    REFUSED,
    EQUAL
  }

  private Outcome outcome(Kind kind, byte[] bytes) {
    List<String> texts;
    try {
      texts = kind.reader.apply(bytes);
    } catch (RistrettoException e) {
      assertThat(e.getMessage()).startsWith("[").hasSizeLessThan(4000);
      Mutations.checkMessage(e.getMessage());
      return Outcome.REFUSED;
    }
    if (!texts.isEmpty()) {
      String[] one = texts.get(0).split("\\s+");
      String[] two = texts.get(1).split("\\s+");
      assertThat(two).hasSameSizeAs(one);
      // sums of squares are kept for variances, which rounding may lose beside large averages
      double rounding = kind.name.contains("BatchNorm") ? 1e-6 * largestSquare(one) : 0;
      for (int k = 0; k < one.length; k++) {
        assertThat(isClose(one[k], two[k], rounding)).as("%s and %s", one[k], two[k]).isTrue();
      }
    }
    return Outcome.EQUAL;
  }

  private static double largestSquare(String[] words) {
    return Arrays.stream(words)
        .filter(word -> word.matches("-?[0-9.]+(e[-+]?[0-9]+)?"))
        .mapToDouble(word -> Math.pow(Double.parseDouble(word), 2))
        .max()
        .orElse(0);
  }

  /** Compares words, and numbers with a tolerance, because averages are written for sums. */
  private static boolean isClose(String one, String two, double rounding) {
    if (one.equals(two)) {
      return true;
    }
    try {
      double a = Double.parseDouble(one);
      double b = Double.parseDouble(two);
      return Math.abs(a - b) <= Math.max(rounding, 1e-4 * Math.max(1, Math.abs(a)));
    } catch (NumberFormatException e) {
      return false;
    }
  }

  @Test
  @Timeout(value = 4, unit = TimeUnit.HOURS)
  void damagedFilesAreRefusedOrReadTheSame() throws IOException {
    addModels();
    addTransitions();
    addTables();
    addTexts();
    for (Kind kind : kinds) {
      assertThat(outcome(kind, kind.whole)).as(kind.name).isEqualTo(Outcome.EQUAL);
    }
    var counts = new int[Outcome.values().length];
    var bugs = new ArrayList<String>();
    for (int trial = 0; trial < TRIALS; trial++) {
      var random = new Random(SEED + trial);
      Kind kind = kinds.get(random.nextInt(kinds.size()));
      byte[] bytes = new Mutations(random).of(kind.whole);
      long start = System.nanoTime();
      try {
        counts[outcome(kind, bytes).ordinal()]++;
      } catch (RuntimeException | Error e) {
        Path kept = Files.write(Files.createTempFile("fuzz", ".bin"), bytes);
        bugs.add("seed " + (SEED + trial) + ": " + kind.name + ", kept in " + kept + ": " + e);
      }
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(MOST_SECONDS)) {
        bugs.add("seed " + (SEED + trial) + ": " + kind.name + " takes too long");
      }
    }
    assertThat(bugs).isEmpty();
    assertThat(counts[Outcome.REFUSED.ordinal()]).isGreaterThan(TRIALS / 10);
    assertThat(counts[Outcome.EQUAL.ordinal()]).isGreaterThan(TRIALS / 50);
  }
}
