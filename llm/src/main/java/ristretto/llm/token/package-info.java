/** Tokenizers of language models. */
package ristretto.llm.token;
