/** Files of language models in the format GGUF. */
package ristretto.llm.gguf;
