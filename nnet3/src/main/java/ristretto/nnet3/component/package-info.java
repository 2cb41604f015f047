/** Base classes of components, with their fields in files and their info text. */
package ristretto.nnet3.component;
