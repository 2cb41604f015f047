/** Training of Kaldi's networks on a cluster. */
package ristretto.spark.nnet3;
