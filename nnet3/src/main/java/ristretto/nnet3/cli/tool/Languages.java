package ristretto.nnet3.cli.tool;

import java.util.ArrayList;
import ristretto.nnet3.chain.ChainExample;

/**
 * Languages of multilingual chain examples: the key of an example ends with {@code ?lang=NAME}, and
 * its output is {@code output-NAME}.
 */
public final class Languages {
  private static final String QUERY = "?lang=";
  private static final String OUTPUT = "output";

  private Languages() {}

  /** Returns the language that a key names, or another value. */
  public static String of(String key, String otherwise) {
    int question = key.indexOf('?');
    if (question >= 0) {
      for (String part : key.substring(question + 1).split("&", -1)) {
        if (part.startsWith("lang=")) {
          return part.substring("lang=".length());
        }
      }
    }
    return otherwise;
  }

  /** Returns the end of the key of an example of a language. */
  public static String suffix(ChainExample example) {
    String name = example.outputs().getFirst().name();
    return QUERY + name.substring(name.indexOf('-') + 1);
  }

  /** Returns an example with its first output named after a language. */
  public static ChainExample first(ChainExample example, String language) {
    var outputs = new ArrayList<>(example.outputs());
    outputs.set(0, outputs.getFirst().renamed(OUTPUT + "-" + language));
    return new ChainExample(example.inputs(), outputs);
  }

  /** Returns an example whose outputs without a language have one. */
  public static ChainExample unnamed(ChainExample example, String language) {
    return new ChainExample(
        example.inputs(),
        example.outputs().stream()
            .map(o -> o.name().equals(OUTPUT) ? o.renamed(OUTPUT + "-" + language) : o)
            .toList());
  }

  /** Returns the language of an output. */
  public static String ofOutput(String name) {
    return name.startsWith(OUTPUT + "-") ? name.substring(OUTPUT.length() + 1) : name;
  }
}
