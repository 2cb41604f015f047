/** Java as the language of kernels: rendered C-family code translated to Java source. */
package ristretto.kernels.source.java;
