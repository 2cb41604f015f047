/** Gates of LSTM and GRU cells, and gradient truncation of recurrences. */
package ristretto.nnet3.component.recurrent;
