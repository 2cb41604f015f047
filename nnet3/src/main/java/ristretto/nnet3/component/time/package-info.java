/** Statistics and attention over windows of time. */
package ristretto.nnet3.component.time;
