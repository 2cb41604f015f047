/** Architectures of language models, as expressions. */
package ristretto.llm.model;
