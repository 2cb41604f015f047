/**
 * Contexts passed to components' forward and backward methods, with row maps, products, and sinks
 * of gradients and statistics.
 */
package ristretto.nnet3.step;
