/** Derivatives of scalar code: a rule for each operation, tapes backwards, functions forwards. */
package ristretto.kernels.gradient;
