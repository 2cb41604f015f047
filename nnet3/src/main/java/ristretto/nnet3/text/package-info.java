/** Texts of messages: hints for unknown words, and reasons of file failures. */
package ristretto.nnet3.text;
