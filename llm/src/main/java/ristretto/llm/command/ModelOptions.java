package ristretto.llm.command;

import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import ristretto.expr.Context;
import ristretto.llm.LanguageModel;
import ristretto.llm.generate.GeneratorOptions;

/** Options of the commands that open a model. */
final class ModelOptions {
  @Parameters(
      paramLabel = "MODEL",
      description = "GGUF file, or folder of Hugging Face, with a tokenizer")
  Path file;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "device, such as cpu or opencl:0; default: that of RISTRETTO_DEVICE, or cpu")
  String device;

  @Option(
      names = "--context",
      paramLabel = "TOKENS",
      description =
          "most tokens of a conversation; default: as many as the model was trained for, up to"
              + " 4096")
  Integer context;

  Context open() {
    return device == null ? Context.open() : Context.open(device);
  }

  GeneratorOptions sizes(LanguageModel model) {
    GeneratorOptions normal = GeneratorOptions.of(model);
    return context == null
        ? normal
        : new GeneratorOptions(normal.sequences(), context, context, normal.block());
  }
}
