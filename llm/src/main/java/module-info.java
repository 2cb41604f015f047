/** Language models. */
module ristretto.llm {
  requires transitive ristretto.symbolic;

  exports ristretto.llm;
  exports ristretto.llm.chat;
  exports ristretto.llm.generate;
  exports ristretto.llm.gguf;
  exports ristretto.llm.model;
  exports ristretto.llm.token;
}
