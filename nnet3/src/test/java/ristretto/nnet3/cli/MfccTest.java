package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.features.FrameOptions;
import ristretto.nnet3.features.MelOptions;
import ristretto.nnet3.features.Mfcc;
import ristretto.nnet3.features.MfccOptions;
import ristretto.nnet3.features.Wave;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;

/** Features of waves, beside those of Kaldi's compute-mfcc-feats. */
class MfccTest extends ToolTest {
  private static final Map<String, byte[]> FILES = Vectors.read("recognition.tar.gz").get("mfcc");

  @BeforeEach
  void write() throws IOException {
    for (var file : FILES.entrySet()) {
      Files.write(folder().resolve(file.getKey()), file.getValue());
    }
  }

  private Matrix only(String name) {
    try (var features = TableReader.open("ark:" + at(name), Holder.MATRIX)) {
      assertThat(features.next()).isTrue();
      Matrix value = features.value();
      assertThat(features.next()).isFalse();
      return value;
    }
  }

  private int compute(String wave, String... more) throws IOException {
    Files.writeString(folder().resolve("wav.scp"), "x " + at(wave) + "\n");
    List<String> words = new ArrayList<>(List.of("compute-mfcc-feats"));
    words.addAll(List.of(more));
    words.addAll(List.of("scp:" + at("wav.scp"), "ark:" + at("feats")));
    return run(words.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "plain,a,",
    "edges,b,--use-energy=false --num-ceps=20 --low-freq=40 --high-freq=-300 --snip-edges=false",
    "warped,a,--vtln-warp=0.9 --raw-energy=false --htk-compat=true --window-type=hamming"
        + " --round-to-power-of-two=false",
    "longer,a,--vtln-warp=1.15 --energy-floor=1e6 --window-type=sine",
    "stereo,c,--sample-frequency=16000 --subtract-mean=true --channel=1 --num-mel-bins=40"
        + " --num-ceps=40 --use-energy=false",
    "blackman,b,--use-energy=false --htk-compat=true --window-type=blackman --cepstral-lifter=0"
        + " --remove-dc-offset=false --frame-shift=15",
    "plainer,a,--window-type=rectangular --preemphasis-coefficient=0 --frame-length=32",
    "hann,a,--window-type=hanning"
  })
  void areKaldis(String name, String wave, String words) throws IOException {
    String all = "--sample-frequency=8000 --dither=0" + (words == null ? "" : " " + words);
    assertThat(compute(wave + ".wav", all.split(" ", -1))).as(log()).isZero();
    Matrix kaldis = only(name + ".txt");
    Matrix ours = only("feats");
    assertThat(ours.rows()).isEqualTo(kaldis.rows());
    assertThat(ours.cols()).isEqualTo(kaldis.cols());
    double largest = 0;
    for (float value : kaldis.data()) {
      largest = Math.max(largest, Math.abs(value));
    }
    assertThat(ours.data()).containsExactly(kaldis.data(), within((float) (1e-4 * largest)));
  }

  private Wave wave(String name) {
    return Wave.HOLDER.load(at(name));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 79, 80, 200, 997, 20000})
  void samplesMayArriveInPieces(int piece) {
    for (boolean snip : new boolean[] {true, false}) {
      FrameOptions normal = FrameOptions.DEFAULT.atRate(8000);
      var frames = new FrameOptions(8000, 25, 10, 1, 0.97, true, normal.window(), 0.42, true, snip);
      var options = new MfccOptions(frames, MelOptions.DEFAULT, 13, true, 0, true, 22, false);
      float[] samples = wave("b.wav").channels()[0];
      try (Context context = Context.open()) {
        var mfcc = new Mfcc(context, options, 1);
        Matrix whole = mfcc.compute(samples);
        var rows = new ArrayList<float[]>();
        for (int at = 0; at < samples.length; at += piece) {
          int end = Math.min(samples.length, at + piece);
          add(rows, mfcc.accept(Arrays.copyOfRange(samples, at, end)));
        }
        int early = rows.size();
        add(rows, mfcc.finish());
        assertThat(early).isGreaterThan(100);
        assertThat(rows).hasSize(whole.rows());
        for (int t = 0; t < rows.size(); t++) {
          assertThat(rows.get(t)).isEqualTo(whole.row(t));
        }
      }
    }
  }

  private static void add(List<float[]> rows, Matrix more) {
    for (int row = 0; row < more.rows(); row++) {
      rows.add(more.row(row));
    }
  }

  @Test
  void wavesReadAsTheyWereWritten() throws IOException {
    Wave stereo = wave("c.wav");
    assertThat(stereo.rate()).isEqualTo(16000);
    assertThat(stereo.channels()).hasDimensions(2, stereo.samples());
    try (var writer = TableWriter.open("ark:" + at("waves"), Wave.HOLDER)) {
      writer.write("one", stereo);
      writer.write("two", wave("a.wav"));
      writer.commit();
    }
    try (var waves = TableReader.open("ark:" + at("waves"), Wave.HOLDER)) {
      assertThat(waves.next()).isTrue();
      assertThat(waves.value().channels()).isDeepEqualTo(stereo.channels());
      assertThat(waves.next()).isTrue();
      assertThat(waves.key()).isEqualTo("two");
      assertThat(waves.value().channels()).isDeepEqualTo(wave("a.wav").channels());
      assertThat(waves.next()).isFalse();
    }
    // A program that writes to a pipe gives no size.
    byte[] piped = FILES.get("a.wav").clone();
    Arrays.fill(piped, 40, 44, (byte) 0xff);
    try (KaldiInput in = KaldiInput.of("piped", piped)) {
      assertThat(Wave.HOLDER.read(in).channels()).isDeepEqualTo(wave("a.wav").channels());
    }
  }

  @Test
  void messages() throws IOException {
    assertThat(compute("a.wav", "--dither=0")).isOne();
    assertThat(log())
        .contains(
            "WARNING (compute-mfcc-feats) Failed to compute features for utterance x: [features]"
                + " the wave must have the rate of the options; got 8000.0 Hz and"
                + " --sample-frequency=16000.0; set the option, or resample the wave.",
            "LOG (compute-mfcc-feats) Done 0 out of 1 utterances.");
    refused(
        "[features] --num-ceps must be from 1 to --num-mel-bins; got 24 of 23; correct it.",
        "--num-ceps=24");
    refused(
        "[features] --window-type must be one of povey, hamming, hanning, sine, rectangular,"
            + " blackman; got \"hann\"; correct it.",
        "--window-type=hann");
    refused(
        "[features] there must be at least 3 mel bands between frequencies from 0 to half the"
            + " rate; got 23 from 20.0 to 9000.0 Hz at 8000.0 Hz; correct --num-mel-bins,"
            + " --low-freq and --high-freq.",
        "--high-freq=9000");
    refused(
        "[features] each mel band must have a frequency of the transform; got none in band 2 of"
            + " 200; set a smaller --num-mel-bins.",
        "--num-mel-bins=200");
    refused(
        "[features] a warp factor must be positive, and --vtln-low and --vtln-high between"
            + " --low-freq and --high-freq; got 0.5, 100.0 and 3900.0 between 20.0 and 3700.0 Hz;"
            + " correct them.",
        "--vtln-warp=0.5",
        "--vtln-high=-100",
        "--high-freq=3700");
    refused(
        "[features] frames must have 2 to 65536 samples and be at least one apart, --dither must be"
            + " at least 0 and --preemphasis-coefficient from 0 to 1; got 25.0 ms every 0.0 ms at"
            + " 8000.0 Hz, 1.0 and 0.9700000286102295; correct them.",
        "--frame-shift=0");
    assertThat(compute("a.wav", "--sample-frequency=8000", "--channel=1")).isOne();
    assertThat(log())
        .contains(
            "File with id x has 1 channels but you specified channel 1, producing no output.");
    assertThat(compute("a.wav", "--sample-frequency=8000", "--min-duration=10")).isOne();
    assertThat(log()).contains("File: x is too short (0.7");
    byte[] eight = FILES.get("a.wav").clone();
    eight[34] = 8;
    Files.write(folder().resolve("eight.wav"), eight);
    assertThat(compute("eight.wav", "--sample-frequency=8000")).isEqualTo(255);
    assertThat(log())
        .contains(
            "a WAV file must have 16-bit integers in 1 to 64 channels; got format 1 of 8 bits, 1"
                + " channels, 8000 Hz");
  }

  private void refused(String message, String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of("--sample-frequency=8000"));
    words.addAll(List.of(more));
    assertThat(compute("a.wav", words.toArray(String[]::new))).isEqualTo(255);
    assertThat(last()).isEqualTo("ERROR (compute-mfcc-feats) " + message);
  }
}
