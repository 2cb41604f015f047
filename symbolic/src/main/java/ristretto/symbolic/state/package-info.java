/** Persistent state of an executor: parameters, gradients, optimizer states, and checkpoints. */
package ristretto.symbolic.state;
