/** Diagrams of networks and computations, as SVG and HTML. */
package ristretto.nnet3.draw;
