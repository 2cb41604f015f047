/** Optimizers and learning rate schedules. */
package ristretto.symbolic.optim;
