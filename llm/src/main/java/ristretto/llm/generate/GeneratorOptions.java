package ristretto.llm.generate;

import ristretto.kernels.ShapeException;
import ristretto.llm.LanguageModel;

/**
 * Sizes of a {@link Generator}.
 *
 * @param sequences most requests that are in the batch at a time
 * @param longest most tokens of a prompt with its continuation
 * @param cacheTokens number of tokens whose keys and values are kept
 * @param block most tokens of a prompt that a step reads
 */
public record GeneratorOptions(int sequences, int longest, int cacheTokens, int block) {
  private static final int SEQUENCES = 8;
  private static final int LONGEST = 4096;
  private static final int BLOCK = 512;

  /**
   * Checks the sizes.
   *
   * @throws ShapeException if one is out of range
   */
  public GeneratorOptions {
    require(sequences >= 1 && sequences <= 1024, "sequences", "from 1 to 1024", sequences);
    require(longest >= 2 && longest <= 1 << 24, "tokens of a sequence", "from 2 to 2^24", longest);
    require(
        cacheTokens >= longest && cacheTokens <= 1 << 27,
        "tokens in the cache",
        "at least that of a sequence (" + longest + ") and at most 2^27",
        cacheTokens);
    require(block >= 1 && block <= 1 << 16, "tokens of a block", "from 1 to 65536", block);
  }

  private static void require(boolean holds, String what, String range, int got) {
    if (!holds) {
      throw new ShapeException(
          "[generate] the number of %s must be %s; got %s.".formatted(what, range, got));
    }
  }

  /**
   * Default options: 8 requests, and the model's context up to 4096 tokens, with a cache for as
   * many.
   */
  public static GeneratorOptions of(LanguageModel model) {
    int longest = Math.clamp(model.sizes().context(), 2, LONGEST);
    return new GeneratorOptions(SEQUENCES, longest, longest, BLOCK);
  }

  /** Returns these options with another number of requests. */
  public GeneratorOptions sequences(int other) {
    return new GeneratorOptions(other, longest, cacheTokens, block);
  }

  /** Returns these options with another length of sequences, and a cache that holds one. */
  public GeneratorOptions longest(int other) {
    return new GeneratorOptions(sequences, other, Math.max(cacheTokens, other), block);
  }

  /** Returns these options with another size of the cache. */
  public GeneratorOptions cacheTokens(int other) {
    return new GeneratorOptions(sequences, longest, other, block);
  }

  /** Returns these options with another size of blocks. */
  public GeneratorOptions block(int other) {
    return new GeneratorOptions(sequences, longest, cacheTokens, other);
  }
}
