/** Training: epochs, metrics, checkpoints and reports. */
package ristretto.symbolic.train;
