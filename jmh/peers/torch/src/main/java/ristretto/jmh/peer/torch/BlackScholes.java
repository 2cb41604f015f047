package ristretto.jmh.peer.torch;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The price of a call as a PyTorch expression. */
final class BlackScholes {
  private static final double[] POLYNOMIAL = {-1.821255978, 1.781477937, -0.356563782, 0.319381530};

  private BlackScholes() {}

  private static Scalar scalar(double value) {
    return new Scalar(value);
  }

  private static Tensor normal(Tensor d) {
    Tensor k = d.abs().mul(scalar(0.2316419)).add(scalar(1)).reciprocal();
    Tensor p = k.mul(scalar(1.330274429));
    for (double coefficient : POLYNOMIAL) {
      p = p.add(scalar(coefficient)).mul(k);
    }
    Tensor upper = d.mul(d).mul(scalar(-0.5)).exp().mul(scalar(0.39894228)).mul(p);
    return torch.where(d.lt(scalar(0)), upper, upper.neg().add(scalar(1)));
  }

  static void run(Tensor spot, Tensor strike, Tensor time, Tensor out) {
    Tensor deviation = time.sqrt().mul(scalar(0.3));
    Tensor d1 = spot.div(strike).log().add(time.mul(scalar(0.065))).div(deviation);
    Tensor discounted = strike.mul(time.mul(scalar(-0.02)).exp());
    torch.sub_out(out, spot.mul(normal(d1)), discounted.mul(normal(d1.sub(deviation))));
  }
}
