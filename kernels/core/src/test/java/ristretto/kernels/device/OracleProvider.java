package ristretto.kernels.device;

import java.util.List;
import ristretto.kernels.scalar.TapeInterpreter.Arithmetic;

/** {@code oracle} computes in the tapes' own types, {@code oracle:1} everything in double. */
public final class OracleProvider implements DeviceProvider {
  @Override
  public String kind() {
    return "oracle";
  }

  @Override
  public List<String> devices() {
    return List.of("interpreter, floating point as typed", "interpreter, floating point in double");
  }

  @Override
  public String remedy() {
    return "";
  }

  @Override
  public Device open(int index) {
    return new OracleDevice(index == 0 ? Arithmetic.TYPED : Arithmetic.DOUBLE);
  }
}
