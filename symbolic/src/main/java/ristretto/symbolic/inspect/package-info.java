/** Summaries, profiles and pictures of models. */
package ristretto.symbolic.inspect;
