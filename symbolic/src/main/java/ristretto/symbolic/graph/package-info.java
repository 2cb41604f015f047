/** Graph of a model: variables, operators that connect them, and their shapes. */
package ristretto.symbolic.graph;
