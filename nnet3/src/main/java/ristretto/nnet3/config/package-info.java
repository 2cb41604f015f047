/** Config language of networks: config lines, nodes, and descriptors in Kaldi's normal form. */
package ristretto.nnet3.config;
