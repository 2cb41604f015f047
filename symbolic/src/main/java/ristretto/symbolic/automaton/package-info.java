/** Weighted automata over the classes of a network, for objectives on sequences. */
package ristretto.symbolic.automaton;
