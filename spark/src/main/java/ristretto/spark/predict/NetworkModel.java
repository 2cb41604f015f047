package ristretto.spark.predict;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.network.Nnet;
import ristretto.spark.model.OutputColumn;
import ristretto.spark.slot.Slot;

/**
 * Network of Kaldi's nnet3, whose rows are utterances: the features, an array of frames, and an
 * i-vector if the network needs one.
 */
public record NetworkModel(Nnet nnet, UtteranceComputer computer) implements OpenedModel {
  /** Maximum number of utterances that are computed at a time. */
  private static final int MOST = 128;

  @Override
  public List<OutputColumn> outputs() {
    DataType frame = DataTypes.createArrayType(DataTypes.FloatType, false);
    return List.of(new OutputColumn("output", DataTypes.createArrayType(frame, false)));
  }

  @Override
  public int batch(int wanted) {
    return Math.min(wanted, MOST);
  }

  @Override
  public void require(StructType frame, int[] columns) {
    boolean ivector = nnet.inputDim("ivector") > 0;
    boolean fits =
        columns.length == (ivector ? 2 : 1)
            && isFloats(frame, columns[0], 2)
            && (!ivector || isFloats(frame, columns[1], 1));
    if (!fits) {
      throw new ShapeException(
          "[predict] the columns of a network must be features, array<array<float>>%s; got %s; cast them."
              .formatted(
                  ivector ? ", and an i-vector, array<float>" : "",
                  Arrays.stream(columns)
                      .mapToObj(k -> frame.fields()[k])
                      .map(f -> f.name() + " " + f.dataType().simpleString())
                      .toList()));
    }
  }

  private static boolean isFloats(StructType frame, int column, int depth) {
    DataType type = frame.fields()[column].dataType();
    for (int k = 0; k < depth; k++) {
      if (!(type instanceof ArrayType array)) {
        return false;
      }
      type = array.elementType();
    }
    return type.equals(DataTypes.FloatType);
  }

  @Override
  public RowComputer computer(Slot slot, RowSettings settings, LongConsumer badRows) {
    return new UtteranceRows(nnet, computer, slot, settings, badRows);
  }
}
