/** Rows of data frames as inputs and outputs of models. */
package ristretto.spark.rows;
