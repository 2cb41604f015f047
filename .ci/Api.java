// Calls the API that scripts rely on, on the default device, and compares the results with numbers
// computed by hand or by another expression.
//
//   ./ristretto run .ci/Api.java

import module ristretto.expr;
import module ristretto.nnet3;
import module ristretto.symbolic;

import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

static Context ctx;

static void check(String name, boolean right, Object got) {
  Checks.check(name, right, got);
}

static void same(String name, Expr<?> e, double... expected) {
  Checks.same(name, e, expected);
}

static <X extends Throwable> void fails(String name, Class<X> kind, String part, Runnable body) {
  Checks.fails(name, kind, part, body);
}

void main() throws Exception {
  String device = System.getenv().getOrDefault("RISTRETTO_DEVICE", "cpu");
  try (Context opened = Context.open()) {
    ctx = opened;
    Checks.ctx = opened;
    check("device", ctx.device().startsWith(device.replaceAll(":.*", "")), ctx.device());
    tensors();
    assignments();
    elements();
    reductions();
    products();
    signals();
    views();
    lambdas();
    linearAlgebra();
    functions();
    Scientific.run(ctx);
    random();
    files();
    errors();
    models();
    check("stats", ctx.stats().launches() > 0 && ctx.stats().cacheMisses() > 0, ctx.stats());
  }
  fails("closed", ClosedException.class, "", () -> ctx.zeros(F32, 1));
  try (Context indexed = Context.open(device)) {
    check(
        "named device", indexed.eval(indexed.ones(F32, 2).plus(1)).toFloatArray()[1] == 2, indexed);
  }
  Checks.report();
}

void tensors() {
  Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
  check("shape", x.shape().equals(Shape.of(2, 3)) && x.dtype() == F32, x.shape());
  same("float[]", x, 1, 2, 3, 4, 5, 6);
  same("float[][]", ctx.tensor(new float[][] {{1, 2}, {3, 4}}), 1, 2, 3, 4);
  same("int[]", ctx.tensor(new int[] {1, -2}), 1, -2);
  same("long[]", ctx.tensor(new long[] {1L << 40}), 1L << 40);
  same("boolean[]", ctx.tensor(new boolean[] {true, false}), 1, 0);
  same("zeros", ctx.zeros(F32, 2, 1), 0, 0);
  same("ones", ctx.ones(I32, Shape.of(2)), 1, 1);
  same("full", ctx.full(F32, 1.5, 2), 1.5, 1.5);
  same("arange", ctx.arange(I32, 4), 0, 1, 2, 3);
  same("linspace", ctx.linspace(F32, 0, 1, 5), 0, 0.25, 0.5, 0.75, 1);
  check("empty", ctx.empty(F32, 3).shape().size() == 3, "");
  check("item", ctx.full(F32, 7, 1).item() == 7, "");
  check("toString", x.toString().startsWith("f32[2,3]"), x);
  check(
      "reads of a view",
      Arrays.equals(x.t().toFloatArray(), new float[] {1, 4, 2, 5, 3, 6}),
      x.t());
}

void assignments() {
  Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3});
  Tensor<F32> y = ctx.zeros(F32, 3);
  Tensor<F32> z = ctx.zeros(F32, 3);
  ctx.assign(y, x.plus(1));
  same("assign", y, 2, 3, 4);
  ctx.assignAdd(y, x);
  ctx.assignSub(y, x.times(2));
  ctx.assignMul(y, x);
  same("assignAdd, assignSub, assignMul", y, 1, 2, 3);
  ctx.assignAll(Pair.of(y, x.plus(z)), Pair.of(z, exp(x.minus(x))));
  same("assignAll", y, 1, 2, 3);
  same("assignAll, second", z, 1, 1, 1);
  Plan plan = ctx.explain(exp(x).plus(1).times(x));
  check("explain", plan.kernelCount() == 1 && plan.temporaryCount() == 0, plan);
  Tensor<F32> rate = ctx.full(F32, 0.5, 1);
  Program p =
      ctx.record(() -> {
        Tensor<F32> step = ctx.eval(x.times(rate));
        ctx.assignAdd(y, step);
      });
  ctx.assign(rate, 2);
  p.run();
  same("record", y, 3.5, 7, 10.5);
  check("kernelCount", p.kernelCount() == 1, p.kernelCount());
}

void elements() {
  Tensor<F32> a = ctx.tensor(new float[] {-1, 0, 2});
  Tensor<F32> b = ctx.tensor(new float[] {3, 4, 5});
  same("plus, minus", a.plus(b).minus(1), 1, 3, 6);
  same("times, div, neg", a.times(b).div(2).neg(), 1.5, 0, -5);
  same("pow", b.pow(2), 9, 16, 25);
  same("exp, log", log(exp(a)), -1, 0, 2);
  same("sqrt, abs, floor", sqrt(abs(floor(a.times(4)))), 2, 0, Math.sqrt(8));
  same(
      "tanh, sigmoid",
      tanh(a).plus(sigmoid(a)),
      sums(a, v -> Math.tanh(v) + 1 / (1 + Math.exp(-v))));
  same("relu", relu(a), 0, 0, 2);
  same("erf", erf(a), -0.8427008, 0, 0.9953223);
  check("gelu", Math.abs(ctx.eval(gelu(a)).toFloatArray()[2] - 1.9546) < 1e-3, "");
  same("min, max", min(max(a, 0f), b), 0, 0, 2);
  same("where, lt", where(a.lt(b.minus(3)), a, b), -1, 0, 5);
  same("clamp", clamp(a, -0.5, 1), -0.5, 0, 1);
  same("le, gt, ge", a.le(0).and(a.gt(-1)).or(a.ge(2)), 0, 1, 1);
  same("eq, ne, not", a.eq(0).or(a.ne(0).not()), 0, 1, 0);
  same("cast", a.times(1.9).cast(I32), -1, 0, 3);
  same("scalar, fill", scalar(F32, 1).plus(fill(F32, 2, 2)), 3, 3);
  same("i64", ctx.tensor(new long[] {7}).times(1L << 33).plus(1), 7 * (double) (1L << 33) + 1);
  Expr<F64> half = ctx.full(F64, 0.5, 1);
  same("lgamma", lgamma(half), 0.5723649429247001);
  same("digamma", digamma(half), -1.9635100260214235);
  same("erfinv", erfinv(half), 0.4769362762044699);
  same("erfc", erfc(half), 0.4795001221869535);
  same("expm1", expm1(half), 0.6487212707001282);
  same("log1p", log1p(half), 0.4054651081081644);
  same("besselJ0", besselJ0(half), 0.938469807240813);
}

static double[] sums(Tensor<F32> a, DoubleUnaryOperator f) {
  float[] some = a.toFloatArray();
  return IntStream.range(0, some.length).mapToDouble(k -> f.applyAsDouble(some[k])).toArray();
}

void reductions() {
  Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 4, 5, 9}, 2, 3);
  same("sum", sum(x), 24);
  same("sum of an axis", sum(x, 1), 6, 18);
  same("keepDims", x.minus(max(x, 1).keepDims()), -2, -1, 0, -5, -4, 0);
  same("mean, prod, min", mean(x, 0).plus(prod(x, 0)).plus(min(x, 0)), 7.5, 15.5, 36);
  same("var, std", std(x, 1).times(std(x, 1)).minus(var(x, 1)), 0, 0);
  same("logSumExp", logSumExp(x.times(0), 1), Math.log(3), Math.log(3));
  same("argMax, argMin", argMax(x, 1).plus(argMin(x, 1)), 2, 2);
  same("any, all", any(x.gt(5), 1).and(all(x.gt(3), 1)), 0, 1);
  same("cumSum", cumSum(x, 1), 1, 3, 6, 4, 9, 18);
  same("softmax", sum(softmax(x, 1), 1), 1, 1);
  same("logSoftmax", exp(logSoftmax(x, 1)).minus(softmax(x, 1)), 0, 0, 0, 0, 0, 0);
  same("layerNorm", mean(layerNorm(x, 1), 1), 0, 0);
}

void signals() {
  Tensor<F32> x = ctx.tensor(new float[] {1, 2, 0, -1});
  Complex<F32> f = Fft.rfft(x);
  same("rfft", f.re(), 2, 1, 0);
  same("im", f.im(), 0, -3, 0);
  same("abs, angle", f.abs().times(cos(f.angle())), 2, 1, 0);
  same("irfft", Fft.irfft(f, 4), 1, 2, 0, -1);
  same("times, conj", f.times(f.conj()).re(), 4, 10, 0);
  same("fft, ifft", Fft.ifft(Fft.fft(Complex.of(x, x))).im(), 1, 2, 0, -1);
  same("fft2", Fft.fft2(Complex.of(x.reshape(2, 2), x.reshape(2, 2))).re(), 2, 0, 4, -2);
  same("convolve", convolve(x, x, "same"), 4, 4, -2, -4);
  same("stft", stft(x, ctx.ones(F32, 2), 2).re(), 3, -1, -1, 1);
}

void products() {
  Tensor<F32> a = ctx.tensor(new float[] {1, 2, 3, 4}, 2, 2);
  Tensor<F32> v = ctx.tensor(new float[] {1, 10});
  same("dot", dot(a, a), 7, 10, 15, 22);
  same("dot with a vector", dot(a, v), 21, 43);
  same("dot of vectors", dot(v, v), 101);
  Expr<F32> batch = stack(0, a, a.t());
  same("batched dot", dot(batch, v.unsqueeze(1)).squeeze(2), 21, 43, 31, 42);
  same("einsum", einsum("bij,bjk->bik", batch, batch), 7, 10, 15, 22, 7, 15, 10, 22);
  Tensor<F32> wide = ctx.eval(uniform(F32, 1, 150, 70));
  Tensor<F32> other = ctx.eval(uniform(F32, 2, 70, 90));
  Expr<F32> slow = sum(wide.unsqueeze(2).times(other.unsqueeze(0)), 1);
  same("a larger dot", max(abs(dot(wide, other).minus(slow))).lt(1e-4), 1);
}

void views() {
  Tensor<F32> x = ctx.eval(ctx.arange(F32, 12).reshape(3, 4));
  same("reshape, t", x.reshape(2, -1).t().slice(all(), at(1)), 6, 7, 8, 9, 10, 11);
  same("permute", x.unsqueeze(0).permute(2, 0, 1).slice(at(1)), 1, 5, 9);
  same(
      "expand, squeeze",
      ctx.ones(F32, 1, 2).expand(2, 2).slice(at(1)).plus(ctx.ones(F32, 1, 2).squeeze(0)),
      2,
      2);
  same("flip", x.slice(at(0)).flip(0), 3, 2, 1, 0);
  same("range", x.slice(range(0, 2), range(-1, 0, -2)), 3, 1, 7, 5);
  same("from", x.slice(from(2), from(1, 2)), 9, 11);
  same("concat", concat(0, x.slice(at(0)), x.slice(at(2))), 0, 1, 2, 3, 8, 9, 10, 11);
  same("stack", stack(1, x.slice(at(0)), x.slice(at(2))).slice(at(1)), 1, 9);
  same("pad", pad(x.slice(at(0), range(0, 2)), 1, 2), 0, 0, 1, 0, 0);
  same("reflect", pad(x.slice(at(0)), PaddingMode.REFLECT, 2, 1), 2, 1, 0, 1, 2, 3, 2);
  same("replicate", pad(x.slice(at(0)), PaddingMode.REPLICATE, 2, 1), 0, 0, 0, 1, 2, 3, 3);
  same("circular", pad(x.slice(at(0)), PaddingMode.CIRCULAR, 2, 1), 2, 3, 0, 1, 2, 3, 0);
  same("roll", roll(x.slice(at(0)), 1, 0), 3, 0, 1, 2);
  Tensor<I32> which = ctx.tensor(new int[] {2, 0});
  same("take", take(x, which, 0).slice(all(), at(1)), 9, 1);
  same("oneHot", oneHot(which, 3), 0, 0, 1, 1, 0, 0);
  same(
      "scatterAdd",
      scatterAdd(Shape.of(3, 4), 0, which, ctx.ones(F32, 2, 4)).slice(all(), at(0)),
      1,
      0,
      1);
  ctx.assign(x.slice(at(1)), x.slice(at(0)).times(10));
  same("assignment to a view", x.slice(at(1)), 0, 10, 20, 30);
}

void lambdas() {
  Tensor<F32> a = ctx.tensor(new float[] {-1, 0, 2});
  Tensor<F32> b = ctx.tensor(new float[] {3, -4, 1});
  same("map", map(a, v -> 1f / (1f + (float) Math.exp(-v))), sums(a, v -> 1 / (1 + Math.exp(-v))));
  same("map of two", map(a, b, (u, v) -> u > v ? u - v : 0f), 0, 4, 1);
  same("map to BOOL", map(BOOL, a, v -> v > 0f), 0, 0, 1);
  same("mapIndexed", mapIndexed(a, (v, i) -> v * i), 0, 0, 4);
  same(
      "map with a loop",
      map(
          a,
          v -> {
            float s = v;
            for (int k = 0; k < 3; k++) {
              s = s * s + 1;
            }
            return s;
          }),
      26,
      5,
      677);
  same("map of int", map(ctx.arange(I32, 3), v -> v << 2), 0, 4, 8);
  same("reduce", reduce(b, 0f, (u, v) -> u + v), 0);
}

void linearAlgebra() {
  Tensor<F64> a = ctx.tensor(new double[] {4, 1, 1, 3}, 2, 2);
  Tensor<F64> b = ctx.tensor(new double[] {1, 2}, 2);
  same("solve", Linalg.solve(a, b), 1 / 11.0, 7 / 11.0);
  same("inv", dot(Linalg.inv(a), a), 1, 0, 0, 1);
  same("det", Linalg.det(a), 11);
  same("cholesky", Linalg.cholesky(a), 2, 0, 0.5, Math.sqrt(2.75));
  same("triangularSolve", Linalg.triangularSolve(a, b, true), 0.25, 1.75 / 3);
  same("lstsq", Linalg.lstsq(a, b), 1 / 11.0, 7 / 11.0);
  same("pinv", dot(a, Linalg.pinv(a)), 1, 0, 0, 1);
  same("norm", Linalg.norm(a), Math.sqrt(27));
  var qr = Linalg.qr(a);
  same("qr", dot(qr.q(), qr.r()), 4, 1, 1, 3);
  var svd = Linalg.svd(a);
  same("svd", dot(svd.u().times(svd.s().unsqueeze(0)), svd.vt()), 4, 1, 1, 3);
  var eigh = Linalg.eigh(a);
  same("eigh", sum(eigh.values()), 7);
  same("eigenvectors", dot(eigh.vectors().t(), eigh.vectors()), 1, 0, 0, 1);
  var lu = Linalg.lu(a);
  same("lu", dot(lu.p(), dot(lu.l(), lu.u())), 4, 1, 1, 3);
  same("gradient of det", gradient(Linalg.det(a), a), 3, -1, -1, 4);
  fails(
      "LinalgException",
      LinalgException.class,
      "[inv] the matrix must not be singular",
      () -> ctx.eval(Linalg.inv(ctx.ones(F64, 2, 2))));
}

void functions() {
  Tensor<F32> a = ctx.tensor(new float[] {1, 2, 3, 4}, 2, 2);
  Tensor<F32> x = ctx.tensor(new float[] {1, 2});
  same("vmap", vmap(v -> v.times(sum(v)), a), 3, 6, 21, 28);
  same("vmap of two", vmap((u, v) -> dot(u, v), a, 0, a, 1), 7, 22);
  same("jacobian", jacobian(x.times(x), x), 2, 0, 0, 4);
  same("hessian", hessian(prod(x).plus(sum(x.times(x))), x), 2, 1, 1, 2);
  same("hvp", hvp(prod(x), x, a.slice(at(0))), 2, 1);
  same("jvp", jvp(x.times(x), x, a.slice(at(1))), 6, 16);
  same("eval", x.plus(1).eval(), 2, 3);
  check("item", sum(x).item() == 3, sum(x).item());
  check("toFloatArray", x.plus(1).toFloatArray()[1] == 3, "");
  check("toString", x.plus(1).toString().equals("f32[2]: f32[2] + 1"), x.plus(1));
}

void random() {
  float[] some = ctx.eval(uniform(F32, 42, 1000)).toFloatArray();
  try (Context cpu = Context.open("cpu")) {
    check(
        "uniform",
        Arrays.equals(some, cpu.eval(uniform(F32, 42, 1000)).toFloatArray()),
        "other bits than on the cpu");
  }
  same("normal", abs(mean(normal(F32, 3, 100_000))).lt(0.02), 1);
  Tensor<I64> seed = ctx.full(I64, 42, 1);
  same("a seed in a tensor", all(uniform(F32, seed, 1000).eq(ctx.tensor(some))), 1);
  Rng rng = Rng.of(42);
  float[] draws = ctx.eval(rng.normal(F32, 1000)).toFloatArray();
  check("rng differs", !Arrays.equals(draws, ctx.eval(rng.normal(F32, 1000)).toFloatArray()), rng);
  check(
      "rng repeats",
      Arrays.equals(draws, ctx.eval(Rng.of(42).normal(F32, 1000)).toFloatArray()),
      rng);
  same("rng.uniform", floor(rng.uniform(F32, 3)), 0, 0, 0);
  same("rng.poisson", rng.poisson(0, 2), 0, 0);
  same("rng.categorical", rng.categorical(ctx.tensor(new float[] {0, 50}), 3), 1, 1, 1);
  same("rng.permutation", sort(rng.permutation(4), 0), 0, 1, 2, 3);
  same("rng.choice", sort(rng.choice(3, 3), 0), 0, 1, 2);
  check("rng.split", rng.split(2).size() == 2, rng);
  check("rng.gamma", ctx.eval(rng.gamma(F32, 2.0, 5)).toFloatArray()[0] > 0, rng);
}

void files() throws Exception {
  Path folder = Files.createTempDirectory("api");
  Tensor<F32> w = ctx.tensor(new float[] {1, 2, 3, 4}, 2, 2);
  for (String name : List.of("w.npy", "w.npz", "w.safetensors")) {
    Path file = folder.resolve(name);
    if (name.endsWith(".npy")) {
      ctx.save(file, w);
      same(name, ctx.load(F32, file), 1, 2, 3, 4);
    } else {
      ctx.saveAll(file, Map.of("w", w, "t", w.t()));
      same(name, ctx.loadAll(file).get("t"), 1, 3, 2, 4);
    }
    Files.delete(file);
  }
  Files.delete(folder);
}

void errors() {
  Tensor<F32> a = ctx.zeros(F32, 2, 3);
  fails("ShapeException", ShapeException.class, "[add] ", () -> a.plus(ctx.zeros(F32, 4)));
  fails(
      "LambdaException",
      LambdaException.class,
      "",
      () -> ctx.eval(map(a, v -> (float) new Random((long) v).nextInt())));
  fails("DeviceException", DeviceException.class, "", () -> Context.open("toaster"));
  check("RistrettoException", RistrettoException.class.isAssignableFrom(KernelException.class), "");
}

void models() {
  Variable<F32> x = Variable.input("x", F32, -1, 2);
  Variable<I32> labels = Variable.input("labels", I32, -1);
  Variable<F32> scores = dense("scores", tanh(dense("hidden", x, 8)), 2);
  Variable<F32> loss = softmaxCrossEntropy(scores, labels);
  var executor = new Executor(ctx, 1, scores, loss);
  executor.set(x, ctx.tensor(new float[][] {{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  executor.set(labels, ctx.tensor(new int[] {0, 1, 1, 0}));
  Optimizer adam = Optimizer.adam(0.05);
  for (int k = 0; k < 200; k++) {
    executor.step(loss, adam);
  }
  check(
      "a model that learns XOR", executor.tensor(loss).item() < 0.1, executor.tensor(loss).item());
  check("nnet3", new Index(1, 2, 0).t() == 2, "");
}
