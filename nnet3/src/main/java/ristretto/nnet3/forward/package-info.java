/** What components make their formulas with. */
package ristretto.nnet3.forward;
