package ristretto.jmh.nnet3;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.network.Nnet;

/** Network of a recipe for speech recognition, and its requests. */
record Recipe(String name) {
  static final List<Recipe> ALL =
      List.of(
          new Recipe("tdnn_wsj_1a"),
          new Recipe("tdnn_swbd_c"),
          new Recipe("tdnnf_swbd_7q"),
          new Recipe("tdnnf_librispeech_1d"),
          new Recipe("lstm_swbd_6k"),
          new Recipe("tdnn_lstm_swbd_1e"),
          new Recipe("blstm_swbd_6l"),
          new Recipe("tdnn_opgru_swbd_1a"),
          new Recipe("cnn_tdnn_minilibri_1a"),
          new Recipe("cnn_tdnn_minilibri_1c"),
          new Recipe("xvector_sre16_1a"));

  /** Names of the requests: a training minibatch, and one utterance of 50, 150 or 1000 frames. */
  static final List<String> REQUESTS = List.of("train", "decode50", "decode150", "decode1000");

  /**
   * Returns the network with random parameters; prepared for evaluation unless it is for training.
   */
  Nnet nnet(String request) {
    Nnet nnet = Nnet.fromConfig(name, text("final.config"), 1);
    return request.equals("train")
        ? nnet
        : new NetworkEdits(nnet, new Silent()).prepareForTest().nnet();
  }

  ComputationRequest request(String request, UnaryOperator<String> change) {
    String file = request + ".request";
    return ComputationRequest.parse(file, change.apply(text(file)));
  }

  String requestText(String request) {
    return text(request + ".request");
  }

  /** Target for the speedup over Kaldi. */
  double wanted(String request) {
    boolean plain = name.equals("tdnn_wsj_1a") || name.equals("tdnn_swbd_c");
    return switch (request) {
      case "train" -> plain ? 1.1 : name.contains("tdnnf") || name.contains("cnn") ? 2 : 1.5;
      case "decode50" -> plain ? 1.1 : 1;
      case "decode150" -> plain ? 1.1 : 1.2;
      default -> plain ? 1.1 : 1.3;
    };
  }

  private String text(String file) {
    try (InputStream in = Recipe.class.getResourceAsStream(name + "/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Silent implements EditLog {
    @Override
    public void info(String text) {}

    @Override
    public void warning(String text) {}
  }
}
