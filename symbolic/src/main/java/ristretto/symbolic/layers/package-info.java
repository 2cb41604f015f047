/** Layers: operators of the library, and the functions that apply them. */
package ristretto.symbolic.layers;
