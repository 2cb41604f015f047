/** Rounding and transcendental operations as arithmetic, with the same formulas on every device. */
package ristretto.kernels.math;
