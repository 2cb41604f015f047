package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.matrix.Matrix;

/** Files that Kaldi wrote, read and written again. */
class VectorFilesTest {
  /** Output of nnet3-compute. */
  @Test
  void archivesInTextComeOutAsTheyWere() {
    List<String> names = Vectors.casesWith("cmd");
    assertThat(names).hasSize(8);
    for (String name : names) {
      byte[] bytes = Vectors.bytes(name, "output.txt");
      var content = new ArrayList<Consumer<KaldiOutput>>();
      try (var in = KaldiInput.of(name, bytes)) {
        while (!in.atEnd()) {
          String key = in.readToken();
          Matrix matrix = in.readMatrix();
          content.add(out -> out.writeToken(key));
          content.add(out -> out.writeMatrix(matrix));
        }
      }
      byte[] again = KaldiOutput.bytes(false, out -> content.forEach(c -> c.accept(out)));
      assertThat(new String(again)).as(name).isEqualTo(new String(bytes));
    }
  }

  /** Nine digits tell all floats apart. */
  @Test
  void exactNumbersComeOutAsTheyWere() {
    int numbers = 0;
    for (String file : List.of("input.txt", "output.txt", "outderiv.txt", "inderiv.txt")) {
      for (String name : Vectors.casesWith(file)) {
        if (!Vectors.has(name, "cmd")) {
          for (String word : Vectors.text(name, file).split("\\s+")) {
            if (word.matches("-?[0-9.]+(e[-+][0-9]+)?")) {
              assertThat(FloatText.of(Float.parseFloat(word), 9)).as(name).isEqualTo(word);
              numbers++;
            }
          }
        }
      }
    }
    assertThat(numbers).isGreaterThan(100_000);
  }

  /** All numbers of text models, which have 7 significant digits. */
  @Test
  void numbersOfModelsComeOutAsTheyWere() {
    int numbers = 0;
    for (String name : Vectors.casesWith("model.txt")) {
      for (String word : Vectors.text(name, "model.txt").split("\\s+")) {
        if (word.matches("-?[0-9.]+(e[-+][0-9]+)?")) {
          assertThat(FloatText.of(Float.parseFloat(word), 7)).as(name).isEqualTo(word);
          numbers++;
        }
      }
    }
    assertThat(numbers).isGreaterThan(40_000);
  }
}
