/** Language models. */
module ristretto.llm {
  requires com.fasterxml.jackson.core;
  requires info.picocli;
  requires jdk.httpserver;
  requires transitive ristretto.symbolic;

  exports ristretto.llm;
  exports ristretto.llm.chat;
  exports ristretto.llm.generate;
  exports ristretto.llm.gguf;
  exports ristretto.llm.huggingface;
  exports ristretto.llm.model;
  exports ristretto.llm.serve;
  exports ristretto.llm.token;

  opens ristretto.llm.command to
      info.picocli;
}
