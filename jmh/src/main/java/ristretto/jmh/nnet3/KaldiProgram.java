package ristretto.jmh.nnet3;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Program linked with Kaldi that measures requests, called as {@code PROGRAM [--test] MODEL REQUEST
 * ROUNDS}: it reads a model and a request, runs the request once and then ROUNDS times, and prints
 * a line with the minimum {@code "compile":}, {@code "forward":} and {@code "both":} in seconds,
 * and {@code "commands":} and {@code "bytes":}. With {@code --test} it prepares the network for
 * evaluation first. OPENBLAS_NUM_THREADS sets its number of threads; if CPU_TIME is set, it prints
 * CPU time instead of wall time.
 */
record KaldiProgram(Path program, boolean processorTime) {
  private static final int ROUNDS = 20;

  KaldiTimes.Times measure(Recipe recipe, String request, int threads, boolean quick)
      throws IOException {
    boolean train = request.equals("train");
    Path folder = Files.createTempDirectory("ristretto-kaldi");
    Path model = folder.resolve("model.raw");
    Path file = folder.resolve("request.txt");
    try {
      recipe.nnet("train").save(model.toString(), true);
      Files.writeString(file, recipe.requestText(request));
      var command = new ArrayList<>(List.of(program.toString()));
      if (!train) {
        command.add("--test");
      }
      command.add(model.toString());
      command.add(file.toString());
      command.add(train ? "1" : Integer.toString(quick ? 2 : ROUNDS));
      var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
      builder.environment().put("OPENBLAS_NUM_THREADS", Integer.toString(threads));
      if (processorTime) {
        builder.environment().put("CPU_TIME", "1");
      }
      return answer(builder.start(), recipe.name() + "-" + request);
    } finally {
      Files.deleteIfExists(model);
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  private KaldiTimes.Times answer(Process process, String line) throws IOException {
    try (BufferedReader answers = process.inputReader(StandardCharsets.UTF_8)) {
      String answer = answers.readLine();
      if (process.waitFor() != 0 || answer == null) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "%s must measure %s, end with exit code 0 and print a line; got exit code %d and"
                    + " '%s'",
                program,
                line,
                process.exitValue(),
                answer));
      }
      return parse(answer);
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  static KaldiTimes.Times parse(String answer) throws IOException {
    UnaryOperator<String> field =
        name -> {
          Matcher m = Pattern.compile("\"" + name + "\":([-+.0-9e]+)").matcher(answer);
          return m.find() ? m.group(1) : "";
        };
    try {
      return new KaldiTimes.Times(
          1e3 * Double.parseDouble(field.apply("compile")),
          1e3 * Double.parseDouble(field.apply("forward")),
          1e3 * Double.parseDouble(field.apply("both")),
          Long.parseLong(field.apply("commands")),
          Long.parseLong(field.apply("bytes")));
    } catch (NumberFormatException e) {
      throw new IOException(
          "the program that measures Kaldi must print compile, forward, both, commands and bytes;"
              + " got "
              + answer,
          e);
    }
  }
}
