/** Exceptions that users see, shared by every layer. */
package ristretto.kernels;
