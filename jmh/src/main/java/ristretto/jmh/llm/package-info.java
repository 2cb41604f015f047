/** Benchmarks of language models. */
package ristretto.jmh.llm;
