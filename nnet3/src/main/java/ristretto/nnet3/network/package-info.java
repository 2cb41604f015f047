/** Networks and acoustic models: their files, their configs and their input context. */
package ristretto.nnet3.network;
