/** Checkpoints in the layout of Hugging Face. */
package ristretto.llm.huggingface;
