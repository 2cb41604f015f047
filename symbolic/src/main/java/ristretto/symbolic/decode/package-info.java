/** Sequence decoders: training and generation. */
package ristretto.symbolic.decode;
