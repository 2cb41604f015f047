package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Short form of the kit for users: every family of operations in some of its forms. */
final class ShortForm {
  private static final int GRAPHS = 8;

  private ShortForm() {}

  static List<Check> checks() {
    var checks = new ArrayList<Check>();
    checks.addAll(TableChecks.elementwise());
    checks.addAll(TableChecks.layouts());
    checks.addAll(TableChecks.broadcasts());
    checks.addAll(TableChecks.reductions());
    checks.addAll(TableChecks.longReductions());
    checks.addAll(SumChecks.checks());
    checks.addAll(ScatterChecks.checks());
    checks.addAll(TableChecks.axes(RowFunctionCases.CASES, 1));
    checks.addAll(TableChecks.axes(ScanCases.CASES, 1));
    checks.addAll(TableChecks.axes(SortCases.CASES, 3));
    checks.addAll(TableChecks.shaped(IndexCases.CASES, 23));
    checks.addAll(TableChecks.shaped(JoinCases.CASES, 9));
    checks.addAll(TableChecks.shaped(ProductCases.CASES, 1));
    checks.addAll(TableChecks.shaped(EinsumCases.CASES, 9));
    checks.addAll(LambdaChecks.checks());
    checks.addAll(RandomChecks.checks());
    LongStream.range(0, GRAPHS).mapToObj(ShortForm::graph).forEach(checks::add);
    FusionCase.CASES.forEach(c -> checks.add(Check.of("kernels of " + c, c::check)));
    checks.addAll(ProgramChecks.checks());
    checks.addAll(ErrorChecks.checks());
    return checks;
  }

  private static Check graph(long seed) {
    return Check.of(
        "random expression " + seed, ctx -> new GraphCheck(ctx, GraphCheck.numbers(seed)).fused());
  }
}
