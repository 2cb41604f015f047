package ristretto.jmh.training;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;
import ristretto.expr.Context;
import ristretto.jmh.line.Dims;
import ristretto.jmh.peer.PeerServer;
import ristretto.jmh.peer.PeerWork;

/** Server of our training steps in a process of its own, with the peers' protocol. */
final class TrainingServer implements PeerServer.Library {
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    PeerServer.serve(new TrainingServer(), answers);
  }

  @Override
  public String version() {
    return "Ristretto";
  }

  @Override
  public Optional<PeerWork> prepare(String line, Dims dims, PeerServer.Data[] inputs) {
    return TrainingModels.find(line.replaceFirst("^train-", ""))
        .map(model -> new Steps(model, dims));
  }

  /** Model in training, with the same initial values as PyTorch's. */
  private static final class Steps implements PeerWork {
    private final Context context = Context.open("cpu");
    private final TrainingModels.Ready ready;

    Steps(TrainingModels.Model model, Dims dims) {
      ready = model.build(context, dims);
    }

    @Override
    public void run() {
      ready.step().run();
    }

    /** Loss of the last step. */
    @Override
    public float at(long index) {
      return (float) ready.loss().getAsDouble();
    }

    @Override
    public long peak() {
      return context.stats().peakBytes();
    }

    @Override
    public void close() {
      context.close();
    }
  }
}
