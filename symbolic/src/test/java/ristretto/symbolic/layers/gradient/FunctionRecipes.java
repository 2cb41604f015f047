package ristretto.symbolic.layers.gradient;

import static ristretto.symbolic.Layers.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Window;

/** Recipes of functions of variables, except losses. */
final class FunctionRecipes {
  private final List<Recipe> all = new ArrayList<>();

  private FunctionRecipes() {
    elementwise();
    reductions();
    shapes();
    images();
    layers();
  }

  static List<Recipe> all() {
    return new FunctionRecipes().all;
  }

  private void add(String covered, Function<Operands, Variable<F64>> layer) {
    all.add(new Recipe(List.of("Layers." + covered), layer));
  }

  private void unary(String name, UnaryOperator<Variable<F64>> layer) {
    add(name + "(Variable)", in -> layer.apply(in.of(3, 4)));
  }

  private void elementwise() {
    unary("relu", Layers::relu);
    unary("sigmoid", Layers::sigmoid);
    unary("tanh", Layers::tanh);
    unary("elu", Layers::elu);
    unary("gelu", Layers::gelu);
    unary("geluErf", Layers::geluErf);
    unary("silu", Layers::silu);
    unary("hardSigmoid", Layers::hardSigmoid);
    unary("hardSwish", Layers::hardSwish);
    unary("glu", Layers::glu);
    unary("swiGlu", Layers::swiGlu);
    unary("softplus", Layers::softplus);
    unary("exp", Layers::exp);
    unary("log", v -> log(square(v)));
    unary("sqrt", v -> sqrt(exp(v)));
    unary("sin", Layers::sin);
    unary("cos", Layers::cos);
    unary("square", Layers::square);
    unary("abs", Layers::abs);
    add("leakyRelu(Variable,double)", in -> leakyRelu(in.of(3, 4), 0.1));
    add("pow(Variable,double)", in -> pow(exp(in.of(3, 4)), 2.5));
    add("maximum(Variable,Variable)", in -> maximum(in.of(3, 4), in.of(3, 4)));
    add("minimum(Variable,Variable)", in -> minimum(in.of(3, 4), in.of(4)));
    add("dropout(Variable,double)", in -> dropout(in.of(3, 4), 0.4));
    add("channelDropout(Variable,double)", in -> channelDropout(in.of(3, 4, 2), 0.4));
    add("dropPath(Variable,double)", in -> dropPath(in.of(7, 2), 0.4));
    add(
        "apply(String,DType,Formula,Variable[])",
        in -> {
          Variable<F64> a = in.of(3);
          Variable<F64> b = in.of(2, 3);
          return apply("product", Ops.F64, x -> Ops.tanh(x.get(a)).times(x.get(b)), a, b);
        });
  }

  private void reductions() {
    add("sum(Variable,int[])", in -> sum(in.of(3, 4), 0));
    add("mean(Variable,int[])", in -> mean(in.of(3, 4), 1));
    add("max(Variable,int[])", in -> max(in.of(3, 4), 1));
    add("min(Variable,int[])", in -> min(in.of(3, 4), 0));
    add("variance(Variable,int[])", in -> variance(in.of(3, 4), 1));
    add("prod(Variable,int[])", in -> prod(in.of(3, 4), 1));
    add("logSumExp(Variable,int[])", in -> logSumExp(in.of(3, 4), 0, 1));
    add("softmax(Variable,int)", in -> softmax(in.of(3, 4), 0));
    add("logSoftmax(Variable,int)", in -> logSoftmax(in.of(3, 4), 1));
    add("dot(Variable,Variable)", in -> dot(in.of(2, 3, 4), in.of(2, 4, 2)));
  }

  private void shapes() {
    unary("flatten", Layers::flatten);
    unary("transpose", v -> transpose(v).times(transpose(v)));
    add("reshape(Variable,long[])", in -> reshape(in.of(3, 4), -1, 2));
    add("permute(Variable,int[])", in -> permute(in.of(2, 3, 4), 2, 0, 1));
    add("squeeze(Variable,int[])", in -> squeeze(in.of(3, 1, 4), 1));
    add("unsqueeze(Variable,int)", in -> unsqueeze(in.of(3, 4), 1));
    add("concat(int,Variable[])", in -> concat(1, in.of(3, 4), in.of(3, 1)));
    add("stack(int,Variable[])", in -> stack(1, in.of(3, 4), in.of(3, 4)));
    add("slice(Variable,Slice[])", in -> slice(in.of(3, 4), Ops.all(), Ops.range(1, 3)));
    int[] places = {2, 0, 2, 1, 1, 0};
    add("take(Variable,Variable,int)", in -> take(in.of(3, 4), in.indices(places, 6), 0));
    add("gather(Variable,Variable,int)", in -> gather(in.of(3, 4), in.indices(places, 3, 2), 1));
    add("rotary(Variable,double)", in -> rotary(in.of(2, 5, 6), 100));
    add(
        "rotary(Variable,double,Variable)",
        in -> rotary(in.of(2, 6, 4), 100, in.indices(places, 6)));
    unary("sinusoidal", v -> v.times(v).plus(sinusoidal(v)));
  }

  private void images() {
    Window window = Window.of(3, 2).stride(2, 1).padding(1);
    add("maxPool(Variable,Window)", in -> maxPool(in.of(2, 2, 5, 4), window));
    add("averagePool(Variable,Window)", in -> averagePool(in.of(2, 2, 5, 4), window));
    add("adaptiveMaxPool(Variable,long[])", in -> adaptiveMaxPool(in.of(2, 5, 4), 3, 2));
    add("adaptiveAveragePool(Variable,long[])", in -> adaptiveAveragePool(in.of(2, 5, 4), 3, 2));
    add("upsample(Variable,long[])", in -> upsample(in.of(2, 3, 2), 2, 3));
    add("upsampleLinear(Variable,long[])", in -> upsampleLinear(in.of(2, 3, 2), 2, 3));
    add("pixelShuffle(Variable,long)", in -> pixelShuffle(in.of(2, 4, 3, 1), 2));
    add("pixelUnshuffle(Variable,long)", in -> pixelUnshuffle(in.of(2, 1, 4, 2), 2));
  }

  private void layers() {
    add("dense(String,Variable,long)", in -> dense("d", in.of(2, 3, 4), 2));
    add(
        "dense(String,Variable,Variable,Variable)",
        in -> dense("d", in.of(3, 4), in.of(4, 2), in.of(2)));
    add("conv(String,Variable,long,Window)", in -> conv("c", in.of(2, 3, 6), 2, Window.of(3)));
    Window window = Window.of(3, 2).stride(2, 1).padding(1, 2).dilation(1, 2);
    add("conv(String,Variable,long,Window,long)", in -> conv("c", in.of(2, 4, 5, 4), 4, window, 2));
    add("layerNorm(String,Variable)", in -> layerNorm("n", in.of(3, 4)));
    add("batchNorm(String,Variable)", in -> batchNorm("n", in.of(5, 3, 2)));
    add("groupNorm(String,Variable,long)", in -> groupNorm("n", in.of(2, 4, 3), 2));
    add(
        "attention(Variable,Variable,Variable)",
        in -> attention(in.of(2, 3, 4), in.of(2, 5, 4), in.of(2, 5, 3)));
    add(
        "attention(Variable,Variable,Variable,Variable)",
        in -> attention(in.of(2, 3, 4), in.of(5, 4), in.of(5, 3), in.mask(2, 3, 5)));
    add(
        "causalAttention(Variable,Variable,Variable)",
        in -> causalAttention(in.of(2, 3, 4), in.of(2, 5, 4), in.of(2, 5, 3)));
    add(
        "additiveAttention(String,Variable,Variable,Variable)",
        in -> additiveAttention("a", in.of(2, 3, 4), in.of(2, 5, 4), in.of(2, 5, 3)));
    add(
        "additiveAttention(String,Variable,Variable,Variable,Variable)",
        in ->
            additiveAttention("a", in.of(2, 3, 4), in.of(2, 5, 4), in.of(2, 5, 3), in.mask(3, 5)));
    add(
        "multiHeadAttention(String,Variable,Variable,long,boolean)",
        in -> multiHeadAttention("a", in.of(2, 3, 4), in.of(2, 5, 6), 2, true));
  }
}
