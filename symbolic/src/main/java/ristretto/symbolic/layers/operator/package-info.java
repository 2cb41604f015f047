/** Operators of layers that need no other class of the layers. */
package ristretto.symbolic.layers.operator;
