/** Training of a network from features and targets to the final model, in one folder. */
package ristretto.nnet3.fit;
