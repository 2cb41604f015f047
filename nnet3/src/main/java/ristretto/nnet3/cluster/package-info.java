/** Clusters of machines that commands may compute on. */
package ristretto.nnet3.cluster;
