/** Iteration spaces, operands over them, and their conversion to the form that strips accept. */
package ristretto.kernels.cpu.operands;
