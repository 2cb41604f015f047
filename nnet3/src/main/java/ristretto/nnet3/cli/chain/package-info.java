/** Commands of chain models. */
package ristretto.nnet3.cli.chain;
