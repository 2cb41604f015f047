package ristretto.llm.command;

import picocli.CommandLine.Option;
import ristretto.llm.generate.Sampling;

/** Options of the choice of tokens. */
final class SamplingOptions {
  @Option(
      names = "--temperature",
      paramLabel = "T",
      description = "0 takes the most probable token; default: 0.8")
  double temperature = Sampling.DEFAULT.temperature();

  @Option(
      names = "--top-k",
      paramLabel = "N",
      description = "draw from the N most probable tokens, 0 from all; default: 40")
  int topK = Sampling.DEFAULT.topK();

  @Option(
      names = "--top-p",
      paramLabel = "P",
      description = "draw from the most probable tokens with this sum; default: 0.95")
  double topP = Sampling.DEFAULT.topP();

  @Option(
      names = "--min-p",
      paramLabel = "P",
      description = "least probability, relative to the most probable token; default: 0.05")
  double minP = Sampling.DEFAULT.minP();

  @Option(
      names = "--repetition-penalty",
      paramLabel = "F",
      description = "above 1: make the last 64 tokens less probable; default: 1")
  double penalty = Sampling.DEFAULT.repetitionPenalty();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "seed of the draws; default: another one each time")
  Long seed;

  Sampling sampling() {
    long number = seed == null ? System.nanoTime() : seed;
    return new Sampling(temperature, topK, topP, minP, penalty, number);
  }
}
