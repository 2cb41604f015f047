/**
 * Terms that all packages of the module share: rows and their indexes, components, computation
 * requests, and settings of their compilation.
 */
package ristretto.nnet3;
