/** Command-line options in Kaldi's syntax, and groups of options that several commands share. */
package ristretto.nnet3.cli.options;
