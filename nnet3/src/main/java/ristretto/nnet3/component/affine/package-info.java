/** Affine maps, scales and offsets, with trainable or fixed parameters. */
package ristretto.nnet3.component.affine;
