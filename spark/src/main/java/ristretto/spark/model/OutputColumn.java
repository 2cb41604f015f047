package ristretto.spark.model;

import org.apache.spark.sql.types.DataType;

/** Column that a prediction adds. */
public record OutputColumn(String name, DataType type) {}
