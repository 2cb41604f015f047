/** Generation of text: sampling, caches of keys and values, and batches of requests. */
package ristretto.llm.generate;
