package ristretto.nnet3.component.registry;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.activation.BatchNormComponent;
import ristretto.nnet3.component.activation.ClipGradientComponent;
import ristretto.nnet3.component.activation.LogSoftmaxComponent;
import ristretto.nnet3.component.activation.NoOpComponent;
import ristretto.nnet3.component.activation.NormalizeComponent;
import ristretto.nnet3.component.activation.PnormComponent;
import ristretto.nnet3.component.activation.RectifiedLinearComponent;
import ristretto.nnet3.component.activation.SigmoidComponent;
import ristretto.nnet3.component.activation.SoftmaxComponent;
import ristretto.nnet3.component.activation.TanhComponent;
import ristretto.nnet3.component.affine.AffineComponent;
import ristretto.nnet3.component.affine.BlockAffineComponent;
import ristretto.nnet3.component.affine.ConstantComponent;
import ristretto.nnet3.component.affine.ConstantFunctionComponent;
import ristretto.nnet3.component.affine.FixedAffineComponent;
import ristretto.nnet3.component.affine.FixedBiasComponent;
import ristretto.nnet3.component.affine.FixedScaleComponent;
import ristretto.nnet3.component.affine.LinearComponent;
import ristretto.nnet3.component.affine.NaturalGradientAffineComponent;
import ristretto.nnet3.component.affine.NaturalGradientPerElementScaleComponent;
import ristretto.nnet3.component.affine.NaturalGradientRepeatedAffineComponent;
import ristretto.nnet3.component.affine.PerElementOffsetComponent;
import ristretto.nnet3.component.affine.PerElementScaleComponent;
import ristretto.nnet3.component.affine.RepeatedAffineComponent;
import ristretto.nnet3.component.affine.ScaleAndOffsetComponent;
import ristretto.nnet3.component.affine.TdnnComponent;
import ristretto.nnet3.component.column.DistributeComponent;
import ristretto.nnet3.component.column.ElementwiseProductComponent;
import ristretto.nnet3.component.column.PermuteComponent;
import ristretto.nnet3.component.column.SumBlockComponent;
import ristretto.nnet3.component.column.SumGroupComponent;
import ristretto.nnet3.component.convolution.ConvolutionComponent;
import ristretto.nnet3.component.convolution.MaxpoolingComponent;
import ristretto.nnet3.component.convolution.TimeHeightConvolutionComponent;
import ristretto.nnet3.component.dropout.DropoutComponent;
import ristretto.nnet3.component.dropout.DropoutMaskComponent;
import ristretto.nnet3.component.dropout.GeneralDropoutComponent;
import ristretto.nnet3.component.dropout.SpecAugmentTimeMaskComponent;
import ristretto.nnet3.component.recurrent.BackpropTruncationComponent;
import ristretto.nnet3.component.recurrent.GruNonlinearityComponent;
import ristretto.nnet3.component.recurrent.LstmNonlinearityComponent;
import ristretto.nnet3.component.recurrent.OutputGruNonlinearityComponent;
import ristretto.nnet3.component.time.RestrictedAttentionComponent;
import ristretto.nnet3.component.time.StatisticsExtractionComponent;
import ristretto.nnet3.component.time.StatisticsPoolingComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.text.Nearest;

/** Registry of component types by name. */
public final class ComponentTypes {
  /** Types whose older files repeat the opening token instead of the closing one. */
  private static final Set<String> OPEN_ENDED =
      Set.of("NaturalGradientAffineComponent", "SumGroupComponent");

  private static final Map<String, Supplier<ComponentBase>> TYPES = new LinkedHashMap<>();

  static {
    put(SigmoidComponent::new);
    put(TanhComponent::new);
    put(SoftmaxComponent::new);
    put(LogSoftmaxComponent::new);
    put(RectifiedLinearComponent::new);
    put(NormalizeComponent::new);
    put(PnormComponent::new);
    put(AffineComponent::new);
    put(LinearComponent::new);
    put(NaturalGradientAffineComponent::new);
    put(PerElementScaleComponent::new);
    put(NaturalGradientPerElementScaleComponent::new);
    put(PerElementOffsetComponent::new);
    put(SumGroupComponent::new);
    put(FixedAffineComponent::new);
    put(FixedScaleComponent::new);
    put(FixedBiasComponent::new);
    put(NoOpComponent::new);
    put(ClipGradientComponent::new);
    put(ElementwiseProductComponent::new);
    put(ConvolutionComponent::new);
    put(TdnnComponent::new);
    put(MaxpoolingComponent::new);
    put(PermuteComponent::new);
    put(DistributeComponent::new);
    put(CompositeComponent::new);
    put(RepeatedAffineComponent::new);
    put(BlockAffineComponent::new);
    put(NaturalGradientRepeatedAffineComponent::new);
    put(StatisticsExtractionComponent::new);
    put(StatisticsPoolingComponent::new);
    put(ConstantFunctionComponent::new);
    put(ConstantComponent::new);
    put(DropoutComponent::new);
    put(DropoutMaskComponent::new);
    put(GeneralDropoutComponent::new);
    put(SpecAugmentTimeMaskComponent::new);
    put(BackpropTruncationComponent::new);
    put(LstmNonlinearityComponent::new);
    put(BatchNormComponent::new);
    put(TimeHeightConvolutionComponent::new);
    put(RestrictedAttentionComponent::new);
    put(SumBlockComponent::new);
    put(GruNonlinearityComponent::new);
    put(OutputGruNonlinearityComponent::new);
    put(ScaleAndOffsetComponent::new);
  }

  private ComponentTypes() {}

  private static void put(Supplier<ComponentBase> type) {
    TYPES.put(type.get().type(), type);
  }

  /** Returns the names of all types. */
  public static Set<String> names() {
    return Collections.unmodifiableSet(TYPES.keySet());
  }

  /** Creates a component from a config line; parameters are drawn from {@code random}. */
  public static ComponentBase create(String type, ConfigLine line, RandomGenerator random) {
    ComponentBase component = TYPES.get(type).get();
    Limits.Problem problem;
    try {
      component.init(line, random);
      problem = Limits.of(component);
    } catch (ArithmeticException e) {
      throw line.error(
          "a matrix of a component must have fewer than 2147483648 elements; got more");
    } catch (OutOfMemoryError e) {
      throw line.error(
          "the parameters of a component must fit into memory; give smaller dimensions, or Java"
              + " more memory with -Xmx");
    }
    if (problem != null) {
      throw line.error(problem.rule() + "; got " + problem.got());
    }
    return component;
  }

  /** Reads the component at the current position of a file. */
  public static ComponentBase read(KaldiInput in) {
    var fields = new FieldReader(in);
    String token = fields.word();
    boolean bracketed = token.startsWith("<") && token.endsWith(">");
    String type = bracketed ? token.substring(1, token.length() - 1) : token;
    if (!bracketed || !TYPES.containsKey(type)) {
      throw fields.wrong(
          "a component type must come next",
          '"' + Excerpt.of(token) + '"' + Nearest.hint(type, names()).replace("?", ""));
    }
    ComponentBase component = TYPES.get(type).get();
    long at = in.offset();
    Limits.Problem problem;
    try {
      component.fields(fields);
      problem = Limits.of(component);
    } catch (ArithmeticException e) {
      throw in.malformed(
          at, "sizes of a component and their products must be integers of 32 bits", "larger ones");
    }
    if (problem != null) {
      throw in.malformed(at, problem.rule(), problem.got());
    }
    if (!(OPEN_ENDED.contains(type) && fields.optional(token, false))) {
      fields.token("</" + type + ">");
    }
    return component;
  }
}
