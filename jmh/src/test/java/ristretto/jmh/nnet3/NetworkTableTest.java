package ristretto.jmh.nnet3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkTableTest {
  private static final String LINE =
      "tdnn_swbd_c,train,900.000,2.500,0.500,1.500,20.000,3,7,15,9,1000000";

  @Test
  void linesAreReadAsTheyAreWritten() {
    assertThat(NetworkLap.parse(LINE).line()).isEqualTo(LINE);
  }

  @Test
  void kaldisTimesStandBesideOurs(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("kaldi.csv");
    Files.writeString(
        file,
        "recipe,request,threads,compile,forward,both,commands,bytes\n"
            + "tdnn_swbd_c,train,1,5,41,100,127,4000000\n"
            + "tdnn_swbd_c,train,1,6,40,110,127,4000000\n");
    var table = new NetworkTable();
    table.add(1, NetworkLap.parse(LINE), KaldiTimes.read(file), null);
    assertThat(line(table))
        .isEqualTo(
            "tdnn_swbd_c train 1 7 15 9 127 900 2.50 5.00 20.0 0.50 2.00 1.50 missed +3 20.0 20.0"
                + " 40.0 2.00 1.1");
  }

  @Test
  void buffersStandBesideKaldisWhereNothingIsKeptForBackward(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("kaldi.csv");
    Files.writeString(
        file,
        "recipe,request,threads,compile,forward,both,commands,bytes\n"
            + "tdnn_swbd_c,decode150,2,5,40,0,127,4000000\n");
    var table = new NetworkTable();
    table.add(2, NetworkLap.parse(LINE.replace("train", "decode150")), KaldiTimes.read(file), null);
    assertThat(line(table)).endsWith(" 20.0 40.0 2.00 1.1 1.00 4.00 0.25");
  }

  @Test
  void withoutKaldisTimesOursStandAlone(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("kaldi.csv");
    Files.writeString(file, "recipe,request,threads,compile,forward,both,commands,bytes\n");
    var table = new NetworkTable();
    table.add(1, NetworkLap.parse(LINE.replace("train", "decode50")), KaldiTimes.read(file), null);
    assertThat(line(table))
        .isEqualTo(
            "tdnn_swbd_c decode50 1 7 15 9 900 2.50 0.50 2.00 1.50 missed +3 20.0 20.0 1.1 1.00");
  }

  @Test
  void roundsOfANewProcessStandBesideTheBest() {
    var table = new NetworkTable();
    table.add(
        1,
        NetworkLap.parse(LINE),
        KaldiTimes.NONE,
        new ColdTimes(431, 454.4, 353.4, Double.NaN, 18.6, 3.04));
    assertThat(line(table)).endsWith(" 454 353 18.6 3.04 missed");
    assertThat(table.csv().get(1)).endsWith(",1000000,454.40,353.40,NaN,18.60,3.0");
  }

  @Test
  void aFirstCompilationThatTakesTooLongIsSaid() {
    var table = new NetworkTable();
    table.add(1, NetworkLap.parse(LINE.replace("900.000", "1500.000")), KaldiTimes.NONE, null);
    assertThat(line(table)).contains(" 9 1500 2.50 ");
    table = new NetworkTable();
    table.add(1, NetworkLap.parse(LINE.replace("900.000", "1501.000")), KaldiTimes.NONE, null);
    assertThat(line(table)).contains(" 9 1501 missed 2.50 ");
  }

  @Test
  void compilationsThatTakeTooLongAreSaid(@TempDir Path folder) throws IOException {
    String cheap = LINE.replace(",1.500,20.000,3,", ",1.500,20.000,0,");
    String dear = cheap.replace("2.500,0.500,1.500", "21.000,2.001,20.001");
    assertThat(line(of(folder, cheap, 500))).contains(" 900 2.50 5.00 20.0 0.50 2.00 1.50 20.0 ");
    assertThat(line(of(folder, dear, 500)))
        .contains(" 900 21.0 missed 5.00 20.0 2.00 missed 2.00 20.0 missed 20.0 ");
    assertThat(line(of(folder, cheap, 501))).contains(" 900 2.50 5.00 5.00 0.50 ");
    assertThat(line(of(folder, cheap.replace("2.500", "5.001"), 501)))
        .contains(" 900 5.00 missed 5.00 5.00 0.50 ");
  }

  private static NetworkTable of(Path folder, String line, int commands) throws IOException {
    Path file = folder.resolve("kaldi.csv");
    Files.writeString(file, "tdnn_swbd_c,train,1,5,41,100," + commands + ",4000000\n");
    var table = new NetworkTable();
    table.add(1, NetworkLap.parse(line), KaldiTimes.read(file), null);
    return table;
  }

  private static String line(NetworkTable table) {
    return table.text().lines().toList().get(1).strip().replaceAll(" +", " ");
  }

  @Test
  void allRecipesAreThere() {
    for (Recipe recipe : Recipe.ALL) {
      for (String request : Recipe.REQUESTS) {
        assertThat(recipe.nnet(request).nodes()).isNotEmpty();
        assertThat(recipe.request(request, UnaryOperator.identity()).outputs()).isNotEmpty();
      }
    }
  }
}
