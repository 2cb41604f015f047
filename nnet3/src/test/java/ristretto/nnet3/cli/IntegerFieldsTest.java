package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.nnet3.Vectors;

/**
 * Each integer of each kind of component, in a model and in a config, at its extremes: refused, or
 * read and described, in bounded time and memory.
 */
class IntegerFieldsTest extends ToolTest {
  private static final List<String> EXTREMES = List.of("2147483647", "-1", "0", "-2147483648");
  private static final Pattern FIELD = Pattern.compile("<(\\w+)> (-?\\d+)(?= )");
  private static final Pattern KEY = Pattern.compile("([\\w-]+)=(-?\\d+)\\b(?![.,:])");
  private static final Pattern TYPE = Pattern.compile("type=(\\w+)");
  private static final long MOST_SECONDS = 60;

  static List<String> cases() {
    return Vectors.casesWith("model.txt").stream()
        .filter(name -> name.startsWith("comp-"))
        .toList();
  }

  @Test
  void allKindsAreAmongTheCases() {
    var types = new TreeSet<String>();
    for (String name : cases()) {
      Matcher type = TYPE.matcher(Vectors.text(name, "nnet.config"));
      while (type.find()) {
        types.add(type.group(1));
      }
    }
    assertThat(types).hasSizeGreaterThanOrEqualTo(45).contains("RestrictedAttentionComponent");
  }

  /** The text with each of the numbers that the pattern finds in its second group replaced. */
  private static Stream<String> changed(String text, int from, Pattern pattern) {
    List<String> all = new ArrayList<>();
    Matcher number = pattern.matcher(text);
    for (int at = from; number.find(at); at = number.end()) {
      for (String extreme : EXTREMES) {
        all.add(text.substring(0, number.start(2)) + extreme + text.substring(number.end(2)));
      }
    }
    return all.stream();
  }

  private void check(String what, String... words) {
    long start = System.nanoTime();
    int status = run(words);
    assertThat(status).as("%s: %s", what, log()).isIn(0, 255);
    assertThat(log())
        .as(what)
        .doesNotContain("this is a bug of Ristretto", "all data must fit into memory");
    assertThat(System.nanoTime() - start)
        .as("%s takes too long", what)
        .isLessThan(TimeUnit.SECONDS.toNanos(MOST_SECONDS));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void integersOfModels(String name) throws IOException {
    String text = Vectors.text(name, "model.txt");
    var all = changed(text, text.indexOf("<ComponentName>"), FIELD).toList();
    for (String model : all) {
      Files.writeString(folder().resolve("m"), model, StandardCharsets.ISO_8859_1);
      check(name + difference(text, model), "nnet3-info", at("m"));
      Files.deleteIfExists(folder().resolve("o"));
      check(name + difference(text, model), "nnet3-copy", at("m"), at("o"));
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void integersOfConfigs(String name) throws IOException {
    String text = Vectors.text(name, "nnet.config");
    for (String config : changed(text, 0, KEY).toList()) {
      Files.writeString(folder().resolve("c"), config);
      String what = name + difference(text, config);
      check(what, "nnet3-init", at("c"), at("o"));
    }
  }

  /** The words around the place where two texts begin to differ. */
  private static String difference(String before, String after) {
    int at = 0;
    while (at < before.length() && at < after.length() && before.charAt(at) == after.charAt(at)) {
      at++;
    }
    return ": " + after.substring(Math.max(0, at - 40), Math.min(after.length(), at + 20));
  }
}
