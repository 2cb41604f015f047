/** Parts that commands share. */
package ristretto.nnet3.cli.tool;
