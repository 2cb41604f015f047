package ristretto.testkit;

import static ristretto.expr.Ops.*;
import static ristretto.testkit.ShapedCase.each;
import static ristretto.testkit.ShapedCase.of;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;

/** Test cases of einsum. */
final class EinsumCases {
  static final List<ShapedCase> CASES = new ArrayList<>();

  private EinsumCases() {}

  private static long[] s(long... shape) {
    return shape;
  }

  private static void einsum(String equation, List<List<long[]>> shapes) {
    einsum(equation, equation, shapes);
  }

  /**
   * Adds a case.
   *
   * @param spelled equation without ellipses; capital letters stand for their axes
   */
  private static void einsum(String equation, String spelled, List<List<long[]>> shapes) {
    CASES.add(
        ShapedCase.exact(
            equation,
            List.of(F32, F64, I64),
            shapes,
            in -> Ops.einsum(equation, in.toArray(EinsumCases::array)),
            in -> summed(spelled, in)));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Expr<F32>[] array(int n) {
    return new Expr[n];
  }

  /**
   * Computes einsum by NumPy's rule: without an arrow, the output has the letters that occur once,
   * in alphabetical order.
   */
  private static Nd summed(String equation, List<Nd> operands) {
    String[] sides = equation.replace(" ", "").split("->", 2);
    String[] inputs = sides[0].split(",");
    String all = sides[0].replace(",", "");
    String output =
        sides.length == 2
            ? sides[1]
            : all.chars()
                .filter(c -> all.indexOf(c) == all.lastIndexOf(c))
                .sorted()
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    var extents = new TreeMap<Character, Long>();
    for (int k = 0; k < inputs.length; k++) {
      for (int d = 0; d < inputs[k].length(); d++) {
        // An extent of 1 broadcasts.
        extents.merge(inputs[k].charAt(d), operands.get(k).shape[d], (a, b) -> a == 1 ? b : a);
      }
    }
    List<Character> letters = List.copyOf(extents.keySet());
    long[] space = extents.values().stream().mapToLong(n -> n).toArray();
    Nd result = Nd.build(output.chars().mapToLong(c -> extents.get((char) c)).toArray(), _ -> 0);
    for (int k = 0; k < Nd.size(space); k++) {
      long[] point = Nd.index(space, k);
      double product = 1;
      for (int o = 0; o < inputs.length; o++) {
        product *= operands.get(o).at(at(inputs[o], letters, point, operands.get(o).shape));
      }
      long[] to = at(output, letters, point, result.shape);
      result.set(result.at(to) + product, to);
    }
    return result;
  }

  private static long[] at(String axes, List<Character> letters, long[] point, long... shape) {
    long[] index = new long[axes.length()];
    for (int d = 0; d < index.length; d++) {
      index[d] = shape[d] == 1 ? 0 : point[letters.indexOf(axes.charAt(d))];
    }
    return index;
  }

  static {
    einsum("ij->ji", each(s(3, 5), s(0, 2)));
    einsum("ba", each(s(3, 5)));
    einsum("ij->", each(s(3, 5), s(0, 2)));
    einsum("ijk->k", each(s(2, 3, 5)));
    einsum("ijk->kji", each(s(2, 3, 5)));
    einsum("ii->", each(s(5, 5), s(1, 1), s(0, 0)));
    einsum("ii", each(s(5, 5)));
    einsum("ii->i", each(s(5, 5)));
    einsum("iji->j", each(s(3, 5, 3)));
    einsum("iij->ji", each(s(3, 3, 5)));
    einsum("iii->i", each(s(4, 4, 4)));
    einsum("ijij->ij", each(s(2, 3, 2, 3)));
    einsum(
        "ij,jk->ik", List.of(of(s(3, 5), s(5, 4)), of(s(3, 0), s(0, 4)), of(s(1, 17), s(17, 1))));
    einsum("ij,jk", List.of(of(s(3, 5), s(5, 4))));
    einsum("ij,kj->ik", List.of(of(s(3, 5), s(4, 5))));
    einsum("ij,kj->ki", List.of(of(s(3, 5), s(4, 5))));
    einsum("i,i->", List.of(of(s(17), s(17)), of(s(0), s(0))));
    einsum("i,j->ij", List.of(of(s(3), s(5))));
    einsum("i,j->ji", List.of(of(s(3), s(5))));
    einsum("i,j->", List.of(of(s(3), s(5))));
    einsum("ij,j->i", List.of(of(s(3, 5), s(5))));
    einsum("i,ij->j", List.of(of(s(3), s(3, 5))));
    einsum("ij,ij->ij", List.of(of(s(3, 5), s(3, 5))));
    einsum("ij,ji->ij", List.of(of(s(3, 5), s(5, 3))));
    einsum("ij,ij->", List.of(of(s(3, 5), s(3, 5))));
    einsum("ij,ij->i", List.of(of(s(3, 5), s(3, 5))));
    einsum("ij,k->k", List.of(of(s(3, 5), s(4))));
    einsum("ii,ij->j", List.of(of(s(3, 3), s(3, 5))));
    einsum("bij,bjk->bik", List.of(of(s(2, 3, 5), s(2, 5, 4)), of(s(0, 3, 5), s(0, 5, 4))));
    einsum("bij,bkj->bki", List.of(of(s(2, 3, 5), s(2, 4, 5))));
    einsum("bij,bj->bi", List.of(of(s(2, 3, 5), s(2, 5))));
    einsum("ibj,kjb->bik", List.of(of(s(3, 2, 5), s(4, 5, 2))));
    einsum("abc,cd->abd", List.of(of(s(2, 3, 5), s(5, 4))));
    einsum("abcd,dcef->abef", List.of(of(s(2, 3, 4, 5), s(5, 4, 2, 3))));
    einsum("ijk,ijl->kl", List.of(of(s(2, 3, 5), s(2, 3, 4))));
    einsum("ij,jk,kl->il", List.of(of(s(3, 5), s(5, 4), s(4, 2))));
    einsum("a,b,c->cab", List.of(of(s(2), s(3), s(4))));
    einsum("ij,ij,ij->j", List.of(of(s(3, 5), s(3, 5), s(3, 5))));
    einsum(" i j , j k -> i k ", "ij,jk->ik", List.of(of(s(3, 5), s(5, 4))));
    einsum("...ij->...ji", "ABij->ABji", each(s(2, 3, 4, 5)));
    einsum("...i->...", "Ai->A", each(s(3, 5)));
    einsum("i...->...i", "iA->Ai", each(s(3, 5)));
    einsum("...ii->...i", "Aii->Ai", each(s(2, 3, 3)));
    einsum("...ij,...jk->...ik", "Aij,Ajk->Aik", List.of(of(s(2, 3, 5), s(2, 5, 4))));
    einsum("...ij,...jk->...ik", "Aij,Ajk->Aik", List.of(of(s(1, 3, 5), s(2, 5, 4))));
    einsum("...ij,...jk->...ik", "ABij,Bjk->ABik", List.of(of(s(2, 3, 2, 5), s(3, 5, 4))));
    einsum("...ij,jk->...ik", "Aij,jk->Aik", List.of(of(s(2, 3, 5), s(5, 4))));
    einsum("...,...->...", "AB,B->AB", List.of(of(s(2, 3), s(3))));
    einsum("i...,i...->", "iA,iA->", List.of(of(s(3, 5), s(3, 5))));
    einsum("...ij,...jk", "Aij,Ajk->Aik", List.of(of(s(2, 3, 5), s(2, 5, 4))));
  }
}
