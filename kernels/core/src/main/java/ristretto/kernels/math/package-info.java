/** Rounding and transcendental operations as arithmetic: the same formulas on every device. */
package ristretto.kernels.math;
