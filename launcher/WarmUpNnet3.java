package ristretto.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.Stream;
import module ristretto.nnet3;

/// Typical operations of nnet3's commands, run for the engine's AOT cache like [WarmUp] for
/// scripts: creates, computes and trains small networks with the usual kinds of layers.
final class WarmUpNnet3 {
  private static final int DIM = 20;
  private static final int CLASSES = 11;
  private static final int UTTERANCES = 40;
  private static final int LEAST_FRAMES = 55;

  private static final String FEED_FORWARD =
      """
      input-node name=input dim=20
      component name=a1 type=NaturalGradientAffineComponent input-dim=60 output-dim=48
      component-node name=a1 component=a1 input=Append(Offset(input, -1), input, Offset(input, 1))
      component name=r1 type=RectifiedLinearComponent dim=48 self-repair-scale=1e-05
      component-node name=r1 component=r1 input=a1
      component name=b1 type=BatchNormComponent dim=48 target-rms=1.0
      component-node name=b1 component=b1 input=r1
      component name=l2 type=TdnnComponent input-dim=48 output-dim=16 use-bias=false time-offsets=-3,0 orthonormal-constraint=-1.0
      component-node name=l2 component=l2 input=b1
      component name=a2 type=TdnnComponent input-dim=16 output-dim=48 time-offsets=0,3
      component-node name=a2 component=a2 input=l2
      component name=r2 type=RectifiedLinearComponent dim=48 self-repair-scale=1e-05
      component-node name=r2 component=r2 input=a2
      component name=b2 type=BatchNormComponent dim=48 target-rms=1.0
      component-node name=b2 component=b2 input=r2
      component name=n2 type=NoOpComponent dim=48
      component-node name=n2 component=n2 input=Sum(Scale(0.66, b1), b2)
      component name=c3 type=TimeHeightConvolutionComponent num-filters-in=3 num-filters-out=3 height-in=16 height-out=16 height-offsets=-1,0,1 time-offsets=-1,0,1
      component-node name=c3 component=c3 input=n2
      component name=r3 type=RectifiedLinearComponent dim=48
      component-node name=r3 component=r3 input=c3
      component name=n3 type=NormalizeComponent dim=48
      component-node name=n3 component=n3 input=r3
      component name=o type=NaturalGradientAffineComponent input-dim=48 output-dim=11
      component-node name=o component=o input=n3
      component name=s type=LogSoftmaxComponent dim=11
      component-node name=s component=s input=o
      output-node name=output input=s
      """;

  private static final String RECURRENT =
      """
      input-node name=input dim=20
      component name=W type=NaturalGradientAffineComponent input-dim=76 output-dim=128
      component name=nonlin type=LstmNonlinearityComponent cell-dim=32
      component name=trunc type=BackpropTruncationComponent dim=48 clipping-threshold=30 zeroing-threshold=15 zeroing-interval=20 recurrence-interval=3
      component name=P type=NaturalGradientAffineComponent input-dim=32 output-dim=32
      component-node name=W component=W input=Append(Offset(input, -1), input, Offset(input, 1), IfDefined(Offset(rt, -3)))
      component-node name=nonlin component=nonlin input=Append(W, IfDefined(Offset(ct, -3)))
      dim-range-node name=c input-node=nonlin dim-offset=0 dim=32
      dim-range-node name=m input-node=nonlin dim-offset=32 dim=32
      component-node name=P component=P input=m
      dim-range-node name=r input-node=P dim-offset=0 dim=16
      component-node name=trunc component=trunc input=Append(c, r)
      dim-range-node name=ct input-node=trunc dim-offset=0 dim=32
      dim-range-node name=rt input-node=trunc dim-offset=32 dim=16
      component name=o type=NaturalGradientAffineComponent input-dim=32 output-dim=11
      component-node name=o component=o input=Offset(P, 2)
      component name=s type=LogSoftmaxComponent dim=11
      component-node name=s component=s input=o
      output-node name=output input=s
      """;

  private final Path folder;

  private WarmUpNnet3(Path folder) {
    this.folder = folder;
  }

  static void run() throws IOException {
    Path folder = Files.createTempDirectory("ristretto-warm-up");
    try {
      var commands = new WarmUpNnet3(folder);
      commands.data();
      commands.network("ff", FEED_FORWARD, 2, 2);
      commands.network("rnn", RECURRENT, 10, 3);
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
          Files.delete(file);
        }
      }
    }
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  /// Utterances of random features, as text, with a random class for each frame.
  private void data() throws IOException {
    var random = new Random(1);
    var features = new StringBuilder();
    var posteriors = new StringBuilder();
    for (int u = 0; u < UTTERANCES; u++) {
      int frames = LEAST_FRAMES + random.nextInt(100);
      features.append("u").append(u).append(" [\n");
      posteriors.append("u").append(u);
      for (int t = 0; t < frames; t++) {
        for (int k = 0; k < DIM; k++) {
          features.append(' ').append((float) random.nextGaussian());
        }
        features.append(t == frames - 1 ? " ]\n" : "\n");
        posteriors.append(" [ ").append(random.nextInt(CLASSES)).append(" 1 ]");
      }
      posteriors.append('\n');
    }
    Files.writeString(folder.resolve("features"), features);
    Files.writeString(folder.resolve("posteriors"), posteriors);
  }

  private void network(String name, String config, int context, int right) throws IOException {
    Files.writeString(folder.resolve(name + ".config"), config);
    String model = file(name + ".raw");
    String egs = "ark:" + file(name + ".egs");
    String merged = "ark:" + file(name + ".merged");
    Command.run("nnet3-init", file(name + ".config"), model);
    Command.run("nnet3-info", model);
    Command.run(
        "nnet3-get-egs",
        "--num-pdfs=" + CLASSES,
        "--left-context=" + (context + 4),
        "--right-context=" + (right + 3),
        "--num-frames=8",
        "ark:" + file("features"),
        "ark:" + file("posteriors"),
        egs);
    Command.run("nnet3-merge-egs", "--minibatch-size=32", egs, merged);
    Command.run("nnet3-train", model, merged, model);
    String features = "ark:" + file("features");
    Command.run("nnet3-compute", model, features, "ark:" + file("out"));
    Command.run("nnet3-compute", "--frames-per-chunk=20", model, features, "ark:" + file("out"));
    Command.run("nnet3-copy", "--binary=false", model, file(name + ".text"));
  }
}
