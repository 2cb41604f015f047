package ristretto.spark.nnet3;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import ristretto.nnet3.fit.FlatParameters;
import ristretto.nnet3.network.Nnet;
import ristretto.spark.train.Wire;

/** Network on the way from a job to the average. */
sealed interface SentNetwork extends Serializable {
  /**
   * Returns the network.
   *
   * @param before parameters of the network before the iteration
   */
  Nnet open(float[] before);

  /** Returns a network as it is sent. */
  static SentNetwork of(Nnet nnet) {
    return new Whole(Networks.bytes(nnet));
  }

  /** Returns a network that is sent with the changes of its parameters in BF16. */
  static SentNetwork ofChanges(Nnet nnet, float[] before) {
    byte[] changes = Wire.BF16.encode(FlatParameters.of(nnet), before);
    Nnet rest = nnet.copy();
    FlatParameters.replace(rest, new float[before.length]);
    var bytes = new ByteArrayOutputStream();
    var fastest = new Deflater(Deflater.BEST_SPEED);
    try (var deflated = new DeflaterOutputStream(bytes, fastest)) {
      deflated.write(Networks.bytes(rest));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      fastest.end();
    }
    return new Changed(bytes.toByteArray(), changes);
  }

  /**
   * Network as the content of a raw file.
   *
   * @param file the content
   */
  record Whole(byte[] file) implements SentNetwork {
    @Override
    public Nnet open(float[] before) {
      return Networks.of(file);
    }
  }

  /**
   * Network whose parameters are sent apart.
   *
   * @param rest deflated content of a raw file with all parameters zero, which has the statistics
   * @param changes changes of the parameters
   */
  record Changed(byte[] rest, byte[] changes) implements SentNetwork {
    @Override
    public Nnet open(float[] before) {
      Nnet nnet;
      try (var inflated = new InflaterInputStream(new ByteArrayInputStream(rest))) {
        nnet = Networks.of(inflated.readAllBytes());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      FlatParameters.replace(nnet, Wire.BF16.decode(changes, before));
      return nnet;
    }
  }
}
