package ristretto.spark.predict;

import java.io.Serializable;
import org.apache.spark.sql.types.StructType;

/**
 * Rows of the tasks of a prediction.
 *
 * @param rows columns of the rows
 * @param columns numbers of the columns that are inputs
 * @param kept numbers of the columns that the result has
 * @param batch number of rows that are computed at a time
 * @param nullForBad true for null instead of an error for rows that are no input
 * @param key number of the column that names rows in errors, or -1
 */
public record RowSettings(
    StructType rows, int[] columns, int[] kept, int batch, boolean nullForBad, int key)
    implements Serializable {}
