package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.symbolic.Layers.dense;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.symbolic.graph.Variable;

/** Weights in several files with an index, as Hugging Face writes them. */
class ShardedWeightsTest {
  private static final Context CTX = Context.open();
  private static final String INDEX = "model.safetensors.index.json";
  private static final String FIRST = "model-00001-of-00002.safetensors";
  private static final String SECOND = "model-00002-of-00002.safetensors";

  @TempDir Path folder;

  private final Executor model =
      new Executor(CTX, dense("b", dense("a", Variable.input("x", F32, -1, 2), 2), 3));

  @AfterAll
  static void close() {
    CTX.close();
  }

  @BeforeEach
  void write() throws IOException {
    CTX.saveAll(
        folder.resolve(FIRST),
        Map.of(
            "a.weight",
            CTX.tensor(new float[] {1, 2, 3, 4}, 2, 2),
            "unused",
            CTX.ones(F32, 1),
            "b.bias",
            CTX.ones(F32, 7)),
        Map.of("format", "pt"));
    var second = new LinkedHashMap<String, Tensor<?>>();
    second.put("a.bias", CTX.tensor(new float[] {5, 6}));
    second.put("b.weight", CTX.tensor(new float[] {1, 2, 3, 4, 5, 6}, 3, 2));
    second.put("b.bias", CTX.tensor(new float[] {7, 8, 9}));
    CTX.saveAll(folder.resolve(SECOND), second, Map.of("format", "pt"));
    index(
        Map.of(
            "a.weight",
            FIRST,
            "a.bias",
            SECOND,
            "b.weight",
            SECOND,
            "b.bias",
            SECOND,
            "unused",
            FIRST));
  }

  private void index(Map<String, String> shards) throws IOException {
    var lines = new ArrayList<String>();
    shards.forEach((name, shard) -> lines.add("\"" + name + "\": \"" + shard + "\""));
    text(
        "{\"metadata\": {\"total_size\": 120, \"sizes\": [1, {}]}, \"weight_map\": {"
            + String.join(",\n", lines)
            + "}}");
  }

  private void text(String json) throws IOException {
    Files.writeString(folder.resolve(INDEX), json);
  }

  private List<float[]> values() {
    return model.parameters().stream().map(v -> model.tensor(v).as(F32).toFloatArray()).toList();
  }

  private void fails(Class<? extends Throwable> type, Path path, String message) {
    List<float[]> before = values();
    assertThatThrownBy(() -> model.load(path)).isInstanceOf(type).hasMessage(message);
    List<float[]> after = values();
    for (int k = 0; k < before.size(); k++) {
      assertThat(after.get(k)).containsExactly(before.get(k));
    }
  }

  @Test
  void theFolderAndTheIndexNameTheSameWeights() {
    for (Path path : List.of(folder, folder.resolve(INDEX))) {
      LoadReport report = model.load(path);
      assertThat(report.loaded()).hasSize(4);
      assertThat(report.extra()).containsExactly("unused");
      assertThat(report.transposed())
          .isEqualTo(
              Map.of(
                  "a.weight",
                  "square, by PyTorch's layout",
                  "b.weight",
                  "by shape, [3,2] to [2,3]"));
      assertThat(values())
          .containsExactly(
              new float[] {1, 3, 2, 4},
              new float[] {5, 6},
              new float[] {1, 3, 5, 2, 4, 6},
              new float[] {7, 8, 9});
    }
  }

  @Test
  void shardsOfPyTorch() throws Exception {
    Path source = Path.of(ShardedWeightsTest.class.getResource("cnn.pt").toURI());
    for (int k = 1; k <= 2; k++) {
      Files.copy(source, folder.resolve("pytorch_model-0000" + k + "-of-00002.bin"));
    }
    Files.delete(folder.resolve(INDEX));
    Files.writeString(
        folder.resolve("pytorch_model.bin.index.json"),
        """
        {"weight_map": {"model.fc2.weight": "pytorch_model-00001-of-00002.bin",
                        "model.fc2.bias": "pytorch_model-00002-of-00002.bin"}}
        """);
    var square = new Executor(CTX, dense("fc2", Variable.input("x", F32, -1, 16), 16));
    LoadReport report = square.load(folder, Rules.rename("model\\.(.*)", "$1"));
    assertThat(report.extra()).isEmpty();
    assertThat(report.transposed()).containsOnlyKeys("fc2.weight");
    Map<String, Tensor<?>> all = CTX.loadAll(source);
    for (Variable<?> v : square.parameters()) {
      Tensor<?> expected = all.get("model." + v.name());
      assertThat(square.tensor(v).as(F32).toFloatArray())
          .containsExactly(CTX.eval(expected.as(F32).t()).toFloatArray());
    }
    // One file, with the ending that Hugging Face uses.
    assertThat(
            square
                .load(
                    folder.resolve("pytorch_model-00001-of-00002.bin"),
                    Rules.rename("model\\.(.*)", "$1"))
                .loaded())
        .containsExactly("fc2.weight", "fc2.bias");
  }

  @Test
  void aShardThatIsMissing() throws IOException {
    Files.delete(folder.resolve(SECOND));
    fails(
        FileException.class,
        folder,
        "[load] a tensor file must exist and be readable; got "
            + folder.resolve(SECOND)
            + " (no such file); check the path");
  }

  @Test
  void aShardThatIsTruncated() throws IOException {
    byte[] all = Files.readAllBytes(folder.resolve(SECOND));
    Files.write(folder.resolve(SECOND), Arrays.copyOf(all, all.length - 4));
    fails(
        FileFormatException.class,
        folder,
        "[load] the data must be as large as the header's tensors, 44 bytes; got 40 bytes at byte"
            + " 224 of "
            + folder.resolve(SECOND)
            + "; the file is truncated");
  }

  @Test
  void aShardWithoutATensorOfTheIndex() throws IOException {
    index(Map.of("a.weight", FIRST, "a.bias", FIRST, "b.weight", SECOND, "b.bias", SECOND));
    fails(
        FileFormatException.class,
        folder,
        "[load] a file must have the tensors that the index names; got 'a.bias' missing in "
            + folder.resolve(FIRST)
            + "; download both again");
  }

  @Test
  void aFolderWithSeveralIndicesOrNone() throws IOException {
    Files.writeString(folder.resolve("pytorch_model.bin.index.json"), "{}");
    fails(
        FileFormatException.class,
        folder,
        "[load] a folder of weights must contain one file named .index.json; got"
            + " model.safetensors.index.json, pytorch_model.bin.index.json in "
            + folder
            + "; name a file");
    Files.delete(folder.resolve("pytorch_model.bin.index.json"));
    Files.delete(folder.resolve(INDEX));
    fails(
        FileFormatException.class,
        folder,
        "[load] a folder of weights must contain one file named .index.json; got none in "
            + folder
            + "; name a file");
  }

  @ParameterizedTest
  @CsvSource({
    "../w.safetensors",
    "/w.safetensors",
    "sub/w.safetensors",
    "..",
    "''",
    "c:w.safetensors",
  })
  void shardsOutsideTheFolder(String shard) throws IOException {
    text("{\"weight_map\": {\"a.bias\": \"" + shard + "\"}}");
    fails(
        FileFormatException.class,
        folder,
        "[load] files of tensors must be in the folder of the index, without folders in their"
            + " names; got '"
            + shard
            + "' for 'a.bias' at byte 16 of "
            + folder.resolve(INDEX));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | an index must have weight_map, with the file of each tensor; got an object without it"
            + " at byte 0 of %s; check the path",
        "{\"weight_map\": {}} | an index must have weight_map, with the file of each tensor; got"
            + " none at byte 0 of %s; check the path",
        "{\"weight_map\": {\"a\": 1}} | a string must be here; got '1' at byte 21 of %s",
        "{\"weight_map\": []} | an object must be here; got '[' at byte 15 of %s",
        "{\"weight_map\": {\"a\": \"f\", \"a\": \"f\"}} | names must differ; got 'a' twice at byte"
            + " 26 of %s",
        "{\"weight_map\": {\"a\": \"f\"}, \"weight_map\": {}} | names must differ; got 'weight_map'"
            + " twice at byte 27 of %s",
        "{\"weight_map\": {\"a\": \"f\"}} 1 | the index must end after its object; got '1' at byte"
            + " 27 of %s",
        "{\"metadata\": {\"a\": 1} | the index must be JSON; got \"Unexpected end-of-input:"
            + " expected close marker for Object (start marker at [S...\" at byte 21 of %s",
        "{\"metadata\": nul} | the index must be JSON; got \"Unrecognized token 'nul': was"
            + " expecting (JSON String, Number, Array, Object o...\" at byte 13 of %s",
      })
  void malformedIndices(String json, String message) throws IOException {
    text(json);
    fails(
        FileFormatException.class,
        folder,
        "[load] " + message.replace("%s", folder.resolve(INDEX).toString()));
  }
}
