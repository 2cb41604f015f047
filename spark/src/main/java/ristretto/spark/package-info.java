/** Prediction and training on Apache Spark. */
package ristretto.spark;
