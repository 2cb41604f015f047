package ristretto.nnet3.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;

/** Examples that Kaldi wrote: binary, merged and compressed, as text, and end-to-end. */
class ChainExampleTest {
  private static final Map<String, byte[]> FILES = Vectors.read("chain-egs.tar.gz").get("egs");

  @TempDir Path folder;

  @BeforeEach
  void write() throws IOException {
    for (var file : FILES.entrySet()) {
      Files.write(folder.resolve(file.getKey()), file.getValue());
    }
  }

  private int copy(String from, String to) {
    int count = 0;
    try (var reader = TableReader.open("ark:" + folder.resolve(from), ChainExample.HOLDER);
        var writer = TableWriter.open(to + folder.resolve("copy"), ChainExample.HOLDER)) {
      for (; reader.next(); count++) {
        writer.write(reader.key(), reader.value());
      }
      writer.commit();
    }
    return count;
  }

  @ParameterizedTest
  @CsvSource({"small-30.cegs,ark:,25", "merged.cegs,ark:,7", "unconstrained.txt,'ark,t:',2"})
  void copiesHaveTheSameBytes(String file, String to, int count) throws IOException {
    assertThat(copy(file, to)).isEqualTo(count);
    assertThat(folder.resolve("copy")).hasBinaryContent(FILES.get(file));
  }

  @Test
  void textIsAsKaldis() throws IOException {
    copy("small-30.cegs", "ark,t:");
    assertThat(folder.resolve("copy")).hasBinaryContent(FILES.get("small-30.txt"));
    var shapes = new ArrayList<String>();
    try (var reader =
        TableReader.open("ark:" + folder.resolve("unconstrained.txt"), ChainExample.HOLDER)) {
      while (reader.next()) {
        ChainExample.Output output = reader.value().outputs().getFirst();
        ChainSupervision supervision = output.supervision();
        shapes.add(
            output.name()
                + " "
                + List.of(
                    output.indexes().size(),
                    supervision.fsts().size(),
                    supervision.endToEnd(),
                    supervision.alignment().length));
      }
    }
    assertThat(shapes).containsOnly("output [30, 1, true, 30]");
  }

  @Test
  void otherIndexesAreRefused() throws IOException {
    String text = new String(FILES.get("unconstrained.txt"), StandardCharsets.UTF_8);
    Path bad = folder.resolve("bad");
    Files.writeString(
        bad, text.replaceFirst("output <I1V> 30 <I1> 0 0 0", "output <I1V> 30 <I1> 1 0 0"));
    assertThatThrownBy(() -> copy("bad", "ark:"))
        .isInstanceOf(FileFormatException.class)
        .hasMessageMatching(
            "\\[kaldi\\] an output must have the indexes of 30 frames of 1 sequences, by time; got"
                + " others at byte \\d+ of .*; the file is damaged or of another kind\\.");
  }
}
