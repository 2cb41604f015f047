package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.nnet3.Vectors;

/**
 * Phone language models beside Kaldi's: FSTs by bytes, and logs. Files are named after the orders
 * and the number of extra states.
 */
class PhoneLanguageModelTest extends ToolTest {
  private static final Map<String, byte[]> FILES = Vectors.read("chain-training.tar.gz").get("lm");

  static Stream<String> models() {
    return FILES.keySet().stream()
        .filter(name -> name.endsWith(".fst"))
        .map(name -> name.substring(0, name.length() - 4));
  }

  @ParameterizedTest
  @MethodSource("models")
  void areKaldis(String name) throws IOException {
    Matcher options = Pattern.compile("order(\\d+)-noprune(\\d+)-extra(\\d+)").matcher(name);
    assertThat(options.matches()).isTrue();
    Files.write(folder().resolve("phones.txt"), FILES.get("train.phones.txt"));
    int status =
        run(
            "chain-est-phone-lm",
            "--ngram-order=" + options.group(1),
            "--no-prune-ngram-order=" + options.group(2),
            "--num-extra-lm-states=" + options.group(3),
            "ark:" + at("phones.txt"),
            at("lm.fst"));
    assertThat(status).as(log()).isZero();
    assertThat(Files.readAllBytes(folder().resolve("lm.fst"))).isEqualTo(FILES.get(name + ".fst"));
    String expected = new String(FILES.get(name + ".log"), StandardCharsets.UTF_8);
    String tag = "LOG \\(chain-est-phone-lm[^)]*\\)[^)]*\\)\\S* ";
    assertThat(lines(log(), "LOG \\(chain-est-phone-lm\\) ")).isEqualTo(lines(expected, tag));
  }

  /** Lines of a log but the last, which names a file. */
  private static Object lines(String log, String tag) {
    return log.lines()
        .filter(line -> line.startsWith("LOG (chain-est") && !line.contains("wrote it to"))
        .map(line -> line.replaceFirst("^" + tag, ""))
        .toList();
  }

  private void refused(String message, String... words) {
    assertThat(run(words)).isEqualTo(255);
    assertThat(last()).isEqualTo("ERROR (chain-est-phone-lm) " + message);
  }

  @Test
  void misuseIsRefused() throws IOException {
    refused(
        "[chain] ngram-order must be 2 or more, and no-prune-ngram-order from 1 to it; got 4 and 5;"
            + " give others.",
        "chain-est-phone-lm",
        "--no-prune-ngram-order=5",
        "ark:/dev/null",
        at("lm.fst"));
    refused(
        "[chain] num-extra-lm-states must be 0 or more; got -1; give another.",
        "chain-est-phone-lm",
        "--num-extra-lm-states=-1",
        "ark:/dev/null",
        at("lm.fst"));
    refused(
        "[chain] a phone language model must have phones to count; got none; give another table.",
        "chain-est-phone-lm",
        "ark:/dev/null",
        at("lm.fst"));
    Files.writeString(folder().resolve("phones.txt"), "a 3 0 4\n");
    refused(
        "[chain] phones must be above 0; got 0; leave epsilons out.",
        "chain-est-phone-lm",
        "ark:" + at("phones.txt"),
        at("lm.fst"));
    assertThat(folder().resolve("lm.fst")).doesNotExist();
  }
}
