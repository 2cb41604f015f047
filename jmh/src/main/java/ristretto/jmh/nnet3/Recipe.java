package ristretto.jmh.nnet3;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.component.EditLog;
import ristretto.nnet3.component.Edits;

/** A network of a recipe for speech recognition, and requests of it. */
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

  /** A minibatch of training, and one utterance of some frames. */
  static final List<String> REQUESTS = List.of("train", "decode50", "decode150", "decode1000");

  /** With random parameters; ready for test if it is to decode. */
  Nnet nnet(String request) {
    Nnet nnet = Nnet.fromConfig(name, text("final.config"), 1);
    return request.equals("train") ? nnet : new Edits(nnet, new Silent()).prepareForTest().nnet();
  }

  ComputationRequest request(String request, UnaryOperator<String> change) {
    String file = request + ".request";
    return ComputationRequest.parse(file, change.apply(text(file)));
  }

  String requestText(String request) {
    return text(request + ".request");
  }

  /** Kaldi's time in ours, as this project wants it at least. */
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
