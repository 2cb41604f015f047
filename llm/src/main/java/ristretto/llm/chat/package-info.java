/** Conversations with language models. */
package ristretto.llm.chat;
