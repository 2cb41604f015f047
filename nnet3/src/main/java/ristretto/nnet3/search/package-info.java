/** Recognition: decoding graphs, and the search for the best words of a network's outputs. */
package ristretto.nnet3.search;
