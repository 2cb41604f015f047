package ristretto.expr.special;

/**
 * Gamma function, its logarithm and the derivative of that. Rational approximations were computed
 * by interpolation with 60 digits.
 */
public final class GammaFunction {
  /** {@code (log(2 pi) - 1) / 2}. */
  private static final double HALF_LOG_TWO_PI_LESS_HALF = 0.4189385332046727;

  private static final double SQRT_TWO_PI = 2.5066282746310002;

  /** Positive zero of digamma, as a sum. */
  private static final double ZERO_HIGH = 1.4616321449683622;

  private static final double ZERO_LOW = 9.549995429965697e-17;

  private GammaFunction() {}

  /** Logarithm of the magnitude of the gamma function; infinity at the poles. */
  public static double lgamma(double x) {
    double a = Math.abs(x);
    double log = Math.log(a);
    double y = a < 0.5 ? x + 1 : a;
    double positive = a < 3 ? lgammaNearZeros(y) - (a < 0.5 ? log : 0) : lgammaOfLarge(a, log);
    double sine = Math.abs(sineOfPi(a));
    double reflected = Math.log(Math.PI / (a * sine)) - positive;
    double value = x < 0 && a >= 0.5 ? reflected : positive;
    return a == Double.POSITIVE_INFINITY ? a : value;
  }

  /** Logarithm of the gamma function for x above 0. */
  static double lgammaOfPositive(double x) {
    double log = Math.log(x);
    double small = lgammaNearZeros(x < 0.5 ? x + 1 : x) - (x < 0.5 ? log : 0);
    return x < 3 ? small : lgammaOfLarge(x, log);
  }

  private static double lgammaOfLarge(double x, double log) {
    return Math.fma(x - 0.5, log - 1, HALF_LOG_TWO_PI_LESS_HALF) + stirlingSeries(x);
  }

  /** Returns {@code sin(pi a)}, 0 for whole numbers. */
  static double sineOfPi(double a) {
    double nearest = Math.rint(a);
    double odd = nearest - 2 * Math.floor(nearest * 0.5);
    double sine = Math.sin(Math.PI * (a - nearest));
    return odd == 1 ? -sine : sine;
  }

  /** Logarithm of the gamma function on [0.5, 3]. */
  private static double lgammaNearZeros(double x) {
    double t = x - 0.5;
    return (x - 1)
        * (x - 2)
        * (Polynomial.of(
                t,
                Polynomial.of(
                    t,
                    7.326677425563835e-08,
                    8.011600530896678e-05,
                    0.005547317525423704,
                    0.1217045364788028,
                    1.1895770579209886,
                    6.051922202665466,
                    17.42792999840083),
                29.679973810533735,
                30.26160856179765,
                18.040012536161303,
                5.772398090683601,
                0.7631532572329335)
            / Polynomial.of(
                t,
                Polynomial.of(
                    t,
                    1.7516280464005183e-05,
                    0.0018330392861201762,
                    0.05570958215863602,
                    0.7333696912749259,
                    4.9813115552592,
                    19.20393004495041,
                    44.37482360110994),
                63.13335170270901,
                55.390956772559626,
                29.059346914733553,
                8.327732399563356,
                1));
  }

  /** Difference of lgamma to Stirling's formula, for x of at least 3. */
  private static double stirlingSeries(double x) {
    double u = 1 / (x * x);
    return Polynomial.of(
            u,
            Polynomial.of(
                u,
                -1.2591741378230412,
                1.0364376286904355,
                -0.41302940090814255,
                0.11229667461283968,
                -0.025917635484147064,
                0.006266355072198439,
                -0.0019135564194569658),
            0.0008416788625987502,
            -0.0005952373063227015,
            0.0007936507891020488,
            -0.002777777777767353,
            0.08333333333333333)
        / x;
  }

  /** Difference of lgamma to Stirling's formula, for x above 0. */
  public static double stirling(double x) {
    double product = 1;
    double y = x;
    while (y < 3) {
      product *= y;
      y += 1;
    }
    double shift = (y - 0.5) * (Math.log(y) - 1) - (x - 0.5) * (Math.log(x) - 1);
    return stirlingSeries(y) + (x < 3 ? shift - Math.log(product) : 0);
  }

  /** Gamma function; NaN at the negative poles and for -infinity. */
  public static double gamma(double x) {
    double a = Math.abs(x);
    double product = 1;
    double y = a;
    if (a <= 24) {
      while (y >= 3) {
        y -= 1;
        product *= y;
      }
      if (y < 2) {
        product = product / y;
        y += 1;
      }
      if (y < 2) {
        product = product / y;
        y += 1;
      }
      double t = y - 2;
      product *=
          1
              + t
                  * (Polynomial.of(
                          t,
                          Polynomial.of(
                              t,
                              7.39961540740558e-06,
                              6.704829440392657e-05,
                              0.0005230091664118951,
                              0.006481397207926934,
                              0.010138755826295585,
                              0.08198361932717806,
                              0.5006472112682175),
                          0.42278433509846713)
                      / Polynomial.of(
                          t,
                          Polynomial.of(
                              t,
                              -1.0759276514385377e-08,
                              0.0001475236398317231,
                              -0.0024425871832623926,
                              0.012315240163243903,
                              0.00621333085174151,
                              -0.2036531601051189,
                              0.2100524391971492),
                          1));
    } else {
      double power = Math.pow(a, 0.5 * a - 0.25);
      product = SQRT_TWO_PI * power * Math.exp(-a) * power * Math.exp(stirlingSeries(a));
      if (a > 180) {
        product = Double.POSITIVE_INFINITY;
      }
    }
    if (x > 0 || a == 0) {
      return a == 0 ? 1 / x : product;
    }
    double sine = sineOfPi(a);
    return sine == 0 || a == Double.POSITIVE_INFINITY
        ? Double.NaN
        : a > 180 ? 0 : -Math.PI / (a * sine) / product;
  }

  /** Derivative of lgamma; NaN at the negative poles, infinity with the sign of -x at 0. */
  public static double digamma(double x) {
    double y = x < 0 ? 1 - x : x;
    double small = digammaNearZero(y < 0.5 ? y + 1 : y) - (y < 0.5 ? 1 / y : 0);
    double u = 1 / (y * y);
    double large =
        Math.log(y)
            - 0.5 / y
            - u
                * (Polynomial.of(
                        u,
                        Polynomial.of(
                            u,
                            0.4909915441148439,
                            15.938349278821022,
                            74.18595549277327,
                            110.81852299053239,
                            67.58804285908025,
                            18.22348434663278,
                            2.108451612733604),
                        0.08333333333333333)
                    / Polynomial.of(
                        u,
                        Polynomial.of(
                            u,
                            13.841996435502203,
                            251.34064420060878,
                            999.9814117198076,
                            1403.6707623911568,
                            832.0143564136964,
                            221.1743350472706,
                            25.401419352803195),
                        1));
    double positive = y < 2 ? small : large;
    double r = Math.PI * (x - Math.rint(x));
    double reflected = positive - Math.PI * Math.cos(r) / Math.sin(r);
    return x < 0 ? r == 0 ? Double.NaN : reflected : positive;
  }

  /** Digamma on [0.5, 2]. */
  private static double digammaNearZero(double x) {
    double t = x - 0.5;
    return (x - ZERO_HIGH - ZERO_LOW)
        * (Polynomial.of(
                t,
                Polynomial.of(
                    t,
                    3.414241151428506e-07,
                    0.0002560832291167879,
                    0.01185574825314995,
                    0.17448334856782574,
                    1.1032504947640258,
                    3.2714486972930747,
                    4.370916260433497),
                2.041851487905516)
            / Polynomial.of(
                t,
                Polynomial.of(
                    t,
                    5.0177123331804056e-05,
                    0.003331165959952294,
                    0.0649862097900204,
                    0.5381766131275997,
                    2.1445623725863925,
                    4.173693462858631,
                    3.614019891721956),
                1));
  }
}
