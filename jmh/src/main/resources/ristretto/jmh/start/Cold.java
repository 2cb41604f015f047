import module ristretto.expr;
import static ristretto.expr.Ops.*;

// The first call of a line in a new process, and how long it takes to full speed.

void main(String[] args) {
  int n = 1_000_000;
  var ctx = Context.open();
  float[] numbers = new float[n];
  for (int i = 0; i < n; i++) {
    numbers[i] = 0.1f + 1.9f * ((i * 2_654_435_761L & 0xFFFF_FFFFL) >>> 8) / (1 << 24);
  }
  Tensor<F32> x = ctx.tensor(numbers);
  Tensor<F32> y = ctx.empty(F32, x.shape());
  boolean sigmoid = args[0].equals("sigmoid");
  Tensor<F32> spot = sigmoid ? x : ctx.tensor(scaled(numbers, 50));
  Tensor<F32> strike = sigmoid ? x : ctx.tensor(scaled(numbers, 40));
  long[] ends = new long[100_000];
  long start = System.nanoTime();
  Expr<F32> expression = sigmoid ? sigmoid(x) : price(spot, strike, x);
  int calls = 0;
  do {
    ctx.assign(y, expression);
    ends[calls] = System.nanoTime() - start;
  } while (ends[calls++] < 2_800_000_000L && calls < ends.length);
  long best = Long.MAX_VALUE;
  for (int k = 1; k < calls; k++) {
    best = Math.min(best, ends[k] - ends[k - 1]);
  }
  IO.println(ends[0] / 1e6 + " " + fullSpeed(ends, calls, best) / 1e9 + " " + best / 1e3);
}

// End of the last call before six out of ten are fast.
long fullSpeed(long[] ends, int calls, long best) {
  for (int k = 1; k + 10 < calls; k++) {
    int fast = 0;
    for (int j = k; j < k + 10; j++) {
      fast += ends[j] - ends[j - 1] <= 1.3 * best ? 1 : 0;
    }
    if (fast >= 6) {
      return ends[k - 1];
    }
  }
  return ends[calls - 1];
}

float[] scaled(float[] numbers, float least) {
  float[] all = numbers.clone();
  for (int i = 0; i < all.length; i++) {
    all[i] = 50 * all[i] + least;
  }
  return all;
}

Expr<F32> price(Expr<F32> spot, Expr<F32> strike, Expr<F32> time) {
  Expr<F32> deviation = sqrt(time).times(0.3);
  Expr<F32> d1 = log(spot.div(strike)).plus(time.times(0.065)).div(deviation);
  Expr<F32> discounted = strike.times(exp(time.times(-0.02)));
  return spot.times(normal(d1)).minus(discounted.times(normal(d1.minus(deviation))));
}

Expr<F32> normal(Expr<F32> d) {
  Expr<F32> k = scalar(F32, 1).div(abs(d).times(0.2316419).plus(1));
  Expr<F32> p = k.times(1.330274429).plus(-1.821255978);
  for (double coefficient : new double[] {1.781477937, -0.356563782, 0.319381530}) {
    p = p.times(k).plus(coefficient);
  }
  Expr<F32> upper = exp(d.times(d).times(-0.5)).times(0.39894228).times(p.times(k));
  return where(d.lt(0), upper, scalar(F32, 1).minus(upper));
}
