/// The exceptions that Ristretto throws.
package ristretto.kernels;
