/** Server for language models. */
package ristretto.llm.serve;
