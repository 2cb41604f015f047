package ristretto.spark.rows;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;

/** Numeric types of columns and of elements of arrays, with access to rows and arrays. */
enum NumberType {
  FLOAT {
    @Override
    double real(SpecializedGetters from, int at) {
      return from.getFloat(at);
    }
  },
  DOUBLE {
    @Override
    double real(SpecializedGetters from, int at) {
      return from.getDouble(at);
    }
  },
  LONG {
    @Override
    long whole(SpecializedGetters from, int at) {
      return from.getLong(at);
    }
  },
  INT {
    @Override
    long whole(SpecializedGetters from, int at) {
      return from.getInt(at);
    }
  },
  SHORT {
    @Override
    long whole(SpecializedGetters from, int at) {
      return from.getShort(at);
    }
  },
  BYTE {
    @Override
    long whole(SpecializedGetters from, int at) {
      return from.getByte(at);
    }
  },
  BOOLEAN {
    @Override
    long whole(SpecializedGetters from, int at) {
      return from.getBoolean(at) ? 1 : 0;
    }
  };

  /** Returns the type of a column or element, or null if it is no number. */
  static NumberType of(DataType type) {
    return switch (type) {
      case FloatType _ -> FLOAT;
      case DoubleType _ -> DOUBLE;
      case LongType _ -> LONG;
      case IntegerType _ -> INT;
      case ShortType _ -> SHORT;
      case ByteType _ -> BYTE;
      case BooleanType _ -> BOOLEAN;
      default -> null;
    };
  }

  boolean isWhole() {
    return this != FLOAT && this != DOUBLE;
  }

  /** Returns a number of a row or array. */
  double real(SpecializedGetters from, int at) {
    return whole(from, at);
  }

  /** Returns a whole number of a row or array. */
  long whole(SpecializedGetters from, int at) {
    throw new IllegalStateException(this + " is not a whole number");
  }
}
