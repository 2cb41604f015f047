package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.RingExamples;

class NnetFitTest extends ToolTest {
  /** Utterances of 40 frames; a frame is of class 0 if it lies within a circle. */
  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder().resolve("ring.config"), RingExamples.CONFIG);
    var random = new Random(1);
    try (var feats = TableWriter.open("ark:" + at("feats"), Holder.MATRIX);
        var ali = TableWriter.open("ark:" + at("ali"), Holder.INTS)) {
      for (int u = 0; u < 40; u++) {
        var rows = new Matrix(40, 4);
        var classes = new int[40];
        for (int t = 0; t < 40; t++) {
          double norm = 0;
          for (int c = 0; c < 4; c++) {
            float x = (float) random.nextGaussian() * 0.6f;
            rows.set(t, c, x);
            norm += x * x;
          }
          classes[t] = norm < 1 ? 0 : 1;
        }
        feats.write("u" + u, rows);
        ali.write("u" + u, classes);
      }
      feats.commit();
      ali.commit();
    }
  }

  private int fit(String dir, String... more) {
    var words =
        new ArrayList<String>(
            List.of(
                "nnet3-fit",
                "--feats=ark:" + at("feats"),
                "--targets=ark:" + at("ali"),
                "--dir=" + at(dir),
                "--num-utts-valid=4",
                "--minibatch-size=8",
                "--initial-effective-lrate=0.01",
                "--samples-per-iter=400"));
    words.addAll(Arrays.asList(more));
    words.add(at("ring.config"));
    return run(words.toArray(new String[0]));
  }

  private byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(folder().resolve(name));
  }

  @Test
  void trainingGoesOnToTheSameBits() throws IOException {
    assertThat(fit("a", "--num-epochs=2", "--num-jobs=2")).as(log()).isZero();
    assertThat(log())
        .contains("LOG (nnet3-fit) Iteration 4 of 4: training -0.")
        .contains("LOG (nnet3-fit) Final network: validation -0.")
        .contains("LOG (nnet3-fit) Finished training, wrote " + folder().resolve("a/final.raw"));
    List<String> history = Files.readAllLines(folder().resolve("a/history.tsv"));
    assertThat(history).hasSize(5);
    assertThat(Double.parseDouble(history.get(4).split("\t")[3]))
        .isGreaterThan(Double.parseDouble(history.get(1).split("\t")[3]));
    assertThat(folder().resolve("a/report.html"))
        .content()
        .contains("<p>Iteration 4 of 4. Final network: validation -0.")
        .contains("src=\"data:image/png;base64,")
        .doesNotContain("http-equiv=\"refresh\"");
    try (KaldiInput in = KaldiInput.open(at("a/priors.vec"))) {
      float[] priors = in.readVector();
      assertThat(priors).hasSize(2);
      assertThat(priors[0] + priors[1]).isBetween(0.999f, 1.001f);
    }
    // as if it had been ended in the second iteration
    Path b = folder().resolve("b");
    Files.createDirectories(b.resolve("egs"));
    for (String kept : List.of("settings", "0.raw", "1.raw", "history.tsv")) {
      Files.copy(folder().resolve("a").resolve(kept), b.resolve(kept));
    }
    try (var all = Files.list(folder().resolve("a/egs"))) {
      for (Path egs : all.toList()) {
        Files.copy(egs, b.resolve("egs").resolve(egs.getFileName().toString()));
      }
    }
    Files.writeString(b.resolve("2.raw.aside"), "half");
    assertThat(fit("b", "--num-epochs=2", "--num-jobs=2")).as(log()).isZero();
    assertThat(log()).contains("LOG (nnet3-fit) Continuing after iteration 1 of 4.");
    assertThat(bytes("b/4.raw")).isEqualTo(bytes("a/4.raw"));
    assertThat(bytes("b/final.raw")).isEqualTo(bytes("a/final.raw"));
    assertThat(bytes("b/priors.vec")).isEqualTo(bytes("a/priors.vec"));
    assertThat(fit("b", "--num-epochs=3", "--num-jobs=2")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] a continued training must have the settings it began"
                + " with; got others than in "
                + b.resolve("settings")
                + "; give the same, or another --dir.");
  }

  @Test
  void outerMomentumGoesOnToTheSameBits() throws IOException {
    String[] options = {
      "--num-epochs=2", "--num-jobs=2", "--outer-lrate=0.7", "--outer-momentum=0.5"
    };
    assertThat(fit("plain", "--num-epochs=2", "--num-jobs=2")).as(log()).isZero();
    assertThat(fit("a", options)).as(log()).isZero();
    assertThat(bytes("a/1.raw")).isEqualTo(bytes("plain/1.raw"));
    assertThat(bytes("a/2.raw")).isNotEqualTo(bytes("plain/2.raw"));
    Path b = folder().resolve("b");
    Files.createDirectories(b);
    for (String kept :
        List.of("settings", "0.raw", "1.raw", "2.raw", "velocity-2.vec", "history.tsv")) {
      Files.copy(folder().resolve("a").resolve(kept), b.resolve(kept));
    }
    assertThat(fit("b", options)).as(log()).isZero();
    assertThat(log()).contains("LOG (nnet3-fit) Continuing after iteration 2 of 4.");
    assertThat(bytes("b/final.raw")).isEqualTo(bytes("a/final.raw"));
    assertThat(folder().resolve("b/velocity-1.vec")).doesNotExist();
  }

  @Test
  void optionsOfAveragesAreChecked() {
    refused("--outer-lrate=0", "outer-lrate must be above 0; got 0.0");
    refused("--outer-momentum=1", "outer-momentum must be 0 or more, below 1; got 1.0");
    refused("--halved-traffic=true", "halved-traffic must be given with --master only; got true");
  }

  private void refused(String option, String message) {
    assertThat(fit("refused", option)).isEqualTo(255);
    assertThat(last())
        .isEqualTo("ERROR (nnet3-fit) [options] --" + message + "; leave it out for the default.");
  }

  @Test
  void jobsMayBecomeFewerAndUtterancesToMeasureWithOne() {
    assertThat(
            fit(
                "f",
                "--num-epochs=2",
                "--num-jobs-initial=2",
                "--num-jobs-final=1",
                "--proportional-shrink=5",
                "--num-utts-valid=1"))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-fit) Iteration 5 of 5: training -0.")
        .contains("LOG (nnet3-fit) Combining last 2 models, objective function is -0.")
        .doesNotContain("NaN", "Combining last 3 models");
  }

  /** A training without features: with examples, and a network, of another one. */
  private int fitFrom(String egs, String dir, String... more) {
    var words =
        new ArrayList<String>(
            List.of(
                "nnet3-fit",
                "--egs-dir=" + at(egs),
                "--input-model=" + at("a/0.raw"),
                "--dir=" + at(dir),
                "--num-epochs=1",
                "--minibatch-size=8",
                "--initial-effective-lrate=0.01"));
    words.addAll(Arrays.asList(more));
    return run(words.toArray(new String[0]));
  }

  private List<String> files(String dir) throws IOException {
    try (var files = Files.list(folder().resolve(dir))) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void examplesAndNetworksMayBeThereAlready() throws IOException {
    assertThat(fit("a", "--num-epochs=1")).as(log()).isZero();
    assertThat(fitFrom("a/egs", "b", "--cleanup", "--remove-egs", "--preserve-model-interval=3"))
        .as(log())
        .isZero();
    String told = last().replace("Finished training, wrote ", "");
    assertThat(told).endsWith("final.raw");
    assertThat(bytes("b/final.raw")).isEqualTo(bytes("a/final.raw"));
    assertThat(files("a")).contains("1.raw", "2.raw", "egs");
    assertThat(files("b"))
        .containsExactly(
            "0.raw",
            "3.raw",
            "4.raw",
            "final.raw",
            "history.tsv",
            "priors.vec",
            "report.html",
            "result",
            "settings");
    // as Kaldi names them
    Path kaldi = folder().resolve("kaldi");
    Files.createDirectories(kaldi.resolve("info"));
    Files.writeString(kaldi.resolve("info/num_archives"), "4\n");
    for (int k = 0; k < 4; k++) {
      Files.copy(
          folder().resolve(String.format(Locale.ROOT, "a/egs/train.%d.ark", k)),
          kaldi.resolve(String.format(Locale.ROOT, "egs.%d.ark", k + 1)));
    }
    Files.copy(folder().resolve("a/egs/valid.ark"), kaldi.resolve("valid_diagnostic.egs"));
    assertThat(fitFrom("kaldi", "c")).as(log()).isZero();
    assertThat(bytes("c/final.raw")).isEqualTo(bytes("a/final.raw"));
    // what is done stays done
    String objective = log().split("Final network: ")[1].split("\\R")[0];
    assertThat(fitFrom("kaldi", "c")).isZero();
    assertThat(log()).contains("Final network: " + objective).doesNotContain("Iteration");
    assertThat(fitFrom("kaldi", "d", "--do-final-combination=false")).as(log()).isZero();
    assertThat(bytes("d/final.raw")).isEqualTo(bytes("c/4.raw"));
    assertThat(fitFrom("kaldi", "e", "--num-jobs=5")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] there must be at least as many example archives as"
                + " parallel jobs; got 4 and 5; give a smaller --num-jobs.");
    assertThat(fitFrom("c", "f")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] --egs-dir must have a file complete, written by"
                + " nnet3-fit, or info/num_archives and valid_diagnostic.egs, written by Kaldi's"
                + " get_egs.sh; got "
                + folder().resolve("c")
                + "; give another, or leave it out.");
  }

  @Test
  void sizesOfMinibatchesAreLookedAtFirst() {
    assertThat(fit("none", "--minibatch-size=0")).isEqualTo(255);
    assertThat(log())
        .endsWith(
            "[egs] sizes of minibatches must be numbers and ranges; got \"0\", where \"0\" is empty"
                + " or has 0; write, for example, 128, 16:32,64 or 128=64:128,256/256=32.\n");
    assertThat(folder().resolve("none")).doesNotExist();
  }

  @Test
  void parametersShrinkAndPassesAreLeftOut() throws IOException {
    assertThat(
            fit(
                "a",
                "--num-epochs=1",
                "--shrink-value=0.9",
                "--deriv-truncate-margin=2",
                "--computation.debug",
                "--optimization.allocate-from-other=false",
                "--optimization.backprop-in-place=false"))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-fit) Iteration 1: parameters are multiplied by 0.9, as in each first")
        .contains("LOG (nnet3-fit) matrices\n")
        .doesNotContain("Iteration 2: parameters");
    assertThat(Files.readString(folder().resolve("a/settings")))
        .contains("without=[SHARE_MEMORY]")
        .contains("backpropInPlace=false")
        .contains("margin=2");
  }

  @Test
  void saturatedNetworksShrink() throws IOException {
    Files.writeString(
        folder().resolve("ring.config"),
        RingExamples.CONFIG.replace("RectifiedLinearComponent", "TanhComponent"));
    assertThat(
            fit("a", "--num-epochs=1", "--shrink-value=0.99", "--shrink-saturation-threshold=0.01"))
        .as(log())
        .isZero();
    assertThat(log())
        .containsPattern(
            "Iteration 2: parameters are multiplied by 0.99, saturation is 0\\.[0-9]+");
  }

  @Test
  void aTransformIsMadeOfWhatAFirstConfigComputes() throws IOException {
    Files.writeString(
        folder().resolve("init.config"),
        """
        input-node name=input dim=4
        output-node name=output input=Append(Offset(input, -1), input, Offset(input, 1))
        """);
    Files.createDirectories(folder().resolve("a/configs"));
    Files.writeString(
        folder().resolve("ring.config"),
        RingExamples.CONFIG
                .replace("input-node name=input dim=4\n", "")
                .replace("Append(Offset(input, -1), input, Offset(input, 1))", "lda")
            + "component name=lda type=FixedAffineComponent matrix=%s\n"
                .formatted(at("a/configs/lda.mat"))
            + "component-node name=lda component=lda input=Append(Offset(input, -1), input,"
            + " Offset(input, 1))\n");
    assertThat(fit("a", "--num-epochs=1", "--init-config=" + at("init.config"), "--rand-prune=0"))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-fit) Made a feature transform; ratios of variance between");
    try (KaldiInput in = KaldiInput.open(at("a/lda.mat"))) {
      Matrix lda = in.readMatrix();
      assertThat(lda.rows()).isEqualTo(12);
      assertThat(lda.cols()).isEqualTo(13);
      assertThat(Nnet.load(at("a/0.raw")).components().get("lda").info())
          .contains("linear-params-rms=")
          .doesNotContain("linear-params-rms=0,");
    }
    Files.writeString(
        folder().resolve("init.config"),
        "input-node name=input dim=4\noutput-node name=spliced input=input\n");
    assertThat(fit("b", "--init-config=" + at("init.config"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] the network of --init-config must have an output named"
                + " output; got none in "
                + at("init.config")
                + "; name it so.");
  }

  @Test
  void scalesOfClassesAreMadeForConfigsThatReadThem() throws IOException {
    Files.createDirectories(folder().resolve("a/configs"));
    Path config = folder().resolve("ring.config");
    Files.writeString(
        config,
        RingExamples.CONFIG.replace("component=s input=b", "component=s input=scaled")
            + "component name=scales type=FixedScaleComponent scales=%s\n"
                .formatted(at("a/configs/presoftmax_prior_scale.vec"))
            + "component-node name=scaled component=scales input=b\n");
    assertThat(fit("a", "--num-epochs=1")).as(log()).isZero();
    float[] scales;
    try (KaldiInput in = KaldiInput.open(at("a/presoftmax_prior_scale.vec"))) {
      scales = in.readVector();
    }
    double[] counts = new double[2];
    try (var ali = TableReader.open("ark:" + at("ali"), Holder.INTS)) {
      while (ali.next()) {
        for (int c : ali.value()) {
          counts[c]++;
        }
      }
    }
    double rare = Math.pow((counts[0] + 8) / (counts[1] + 8), -0.25);
    assertThat(scales).hasSize(2);
    assertThat(scales[0] / scales[1]).isCloseTo((float) rare, within(1e-5f));
    assertThat(scales[0] + scales[1]).isCloseTo(2, within(1e-5f));
    assertThat(fit("b", "--num-epochs=1", "--num-classes=4", "--presoftmax-prior-scale-power=0"))
        .isZero();
    try (KaldiInput in = KaldiInput.open(at("b/presoftmax_prior_scale.vec"))) {
      assertThat(in.readVector()).containsExactly(1, 1, 1, 1);
    }
    assertThat(fit("c", "--targets-type=posteriors")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] class scales must be computed from alignments; got"
                + " others for a config that reads presoftmax_prior_scale.vec; give --targets with"
                + " one class per frame, or a config without that file.");
    try (var ali = TableWriter.open("ark:" + at("ali"), Holder.INTS)) {
      ali.write("u0", new int[] {0, -3});
      ali.commit();
    }
    assertThat(fit("d")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] targets must be classes of at least 0; got -3 in ark:"
                + at("ali")
                + "; give others.");
  }

  /** The last line of a training that fails, and what was there before it. */
  private String refused(String... more) {
    assertThat(fit("a", more)).isEqualTo(255);
    return last();
  }

  @Test
  void mistakesCanBeCorrectedInTheSameFolder() throws IOException {
    String config = folder().resolve("ring.config").toString();
    Path moved = folder().resolve("moved");
    Files.move(Path.of(config), moved);
    assertThat(refused())
        .isEqualTo(
            "ERROR (nnet3-fit) [kaldi] a file to read must exist; got "
                + config
                + " (no such file); check the path.");
    String text = Files.readString(moved);
    Files.writeString(
        Path.of(config),
        text.replace("dim=4\n", "dim=5\n").replace("input-dim=12", "input-dim=15"));
    assertThat(refused())
        .startsWith(
            "ERROR (nnet3-fit) [nnet3-fit] the data for the network's input must have its"
                + " dimension, 5; got 4 for 'u")
        .endsWith("'; give other features, or another network.");
    Files.writeString(
        Path.of(config),
        text.replace("dim=4\n", "dim=4\ninput-node name=ivector dim=2\n")
            .replace("input-dim=12", "input-dim=14")
            .replace("Offset(input, 1))", "Offset(input, 1), ReplaceIndex(ivector, t, 0))"));
    assertThat(refused())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] --ivectors must be given for a network with an input"
                + " named ivector, and for no other; got none; give them.");
    Files.writeString(Path.of(config), text);
    assertThat(refused("--ivectors=ark:x"))
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] --ivectors must be given for a network with an input"
                + " named ivector, and for no other; got ark:x; leave them out.");
    assertThat(refused("--transition-model=" + config))
        .startsWith("ERROR (nnet3-fit) [kaldi] a model must begin with <TransitionModel>; got");
    assertThat(fit("a", "--num-epochs=1")).as(log()).isZero();
  }

  @Test
  void wrongUsageIsExplained() {
    assertThat(run("nnet3-fit")).isEqualTo(1);
    assertThat(log()).contains("Usage:  nnet3-fit [options] --feats=...");
    assertThat(fit("c", "--input-model=" + at("0.raw"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [options] either a config or --input-model must be given; got both;"
                + " see the usage above.");
    assertThat(fit("c", "--shrink-value=2")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [options] --shrink-value must be above 0 and at most 1; got 2.0;"
                + " leave it out for the default.");
    assertThat(run("nnet3-fit", "--feats=ark:x", "--dir=y", "c")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [options] --targets must be given; got none; see the usage above.");
    assertThat(fit("c", "--targets-type=labels")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [options] --targets-type must be alignments, posteriors or"
                + " matrices; got \"labels\"; write one of them.");
    assertThat(fit("c", "--num-jobs=0")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [options] --num-jobs must be 1 or more; got 0; leave it out for the"
                + " default.");
    assertThat(fit("d", "--dropout-schedule=0,2")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] --dropout-schedule must be comma-separated proportions"
                + " from 0 to 1, the inner ones with @ and the fraction of the data, ascending; got"
                + " \"0,2\"; write, for example, 0,0@0.2,0.5@0.5,0.");
    assertThat(fit("d", "--proportional-shrink=51")).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-fit) [nnet3-fit] --proportional-shrink times the learning rate must be"
                + " below 0.5; got 51 times 0.01; give a smaller one.");
    assertThat(fit("e", "--num-frames=100")).isEqualTo(255);
    assertThat(last()).contains("utterances must have targets and be as long as a chunk; got none");
  }
}
