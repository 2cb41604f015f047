/** Language models. */
module ristretto.llm {
  requires transitive ristretto.symbolic;

  exports ristretto.llm.gguf;
}
