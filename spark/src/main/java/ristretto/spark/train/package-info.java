/** Training of symbolic models on shards of data. */
package ristretto.spark.train;
