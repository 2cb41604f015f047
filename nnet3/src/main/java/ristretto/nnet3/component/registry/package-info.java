/** Component types by name, components made of others, and reading of components from files. */
package ristretto.nnet3.component.registry;
