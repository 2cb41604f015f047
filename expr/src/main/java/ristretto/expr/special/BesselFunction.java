package ristretto.expr.special;

/**
 * Bessel functions of orders 0 and 1: of the first kind, and modified and scaled ones. The first
 * two zeros are factors, given as sums of two numbers.
 */
public final class BesselFunction {
  private BesselFunction() {}

  /** Bessel function of the first kind of order 0. */
  public static double j0(double x) {
    double a = Math.abs(x);
    double w = 2 - a * a / 32;
    double zeros =
        (a - 2.404825557695773 + 1.176691651530894e-16)
            * (a + 2.404825557695773)
            * (a - 5.520078110286311 - 8.088597146146722e-17)
            * (a + 5.520078110286311);
    double near =
        zeros
            * Polynomial.of(
                w,
                Polynomial.of(
                    w,
                    Polynomial.of(
                        w,
                        4.006178286297737e-16,
                        6.8743170371737415e-15,
                        2.1341089626069491e-13,
                        4.780520229599567e-12,
                        9.37269797753561e-11,
                        1.5419969866978825e-09,
                        2.0988231951888714e-08),
                    2.3128805306676928e-07,
                    2.0086162544872904e-06,
                    1.3269039681317622e-05,
                    6.351764400981055e-05,
                    0.00020519373101923513,
                    0.0003986317400450612),
                0.00037268035164772165,
                8.793873470842997e-05);
    double u = 64 / (a * a);
    double p =
        Polynomial.of(
                u,
                3.403872550072125e-05,
                0.0060089461906882155,
                0.13955491946980503,
                0.8733148201490417,
                1.7582227890705697,
                1)
            / Polynomial.of(
                u,
                3.831808113973053e-05,
                0.006142787542137672,
                0.14047047733963844,
                0.875220287507195,
                1.759321421883069,
                1);
    double q =
        (Polynomial.of(
                    u,
                    -4.633569019440407e-06,
                    -0.0008256116544333944,
                    -0.01948996193382015,
                    -0.13825697120039124,
                    -0.3683721558544664,
                    -0.3802214742443784,
                    -0.125)
                / Polynomial.of(
                    u,
                    7.020350465662876e-05,
                    0.007739904615301564,
                    0.16511320132306612,
                    1.1319872422321446,
                    2.974465748059787,
                    3.050927067392527,
                    1))
            / a;
    double sine = Math.sin(a);
    double cosine = Math.cos(a);
    // sqrt(2) cos(a - pi / 4) and sqrt(2) sin(a - pi / 4), without cancellation
    double sum = sine + cosine;
    double difference = sine - cosine;
    double double2 = Math.cos(2 * a);
    boolean opposite = sine * cosine < 0;
    double c = opposite ? -double2 / difference : sum;
    double s = opposite ? difference : -double2 / sum;
    double far = (p * c - q * s) / Math.sqrt(Math.PI * a);
    return a < 8 ? near : a == Double.POSITIVE_INFINITY ? 0 : far;
  }

  /** Bessel function of the first kind of order 1. */
  public static double j1(double x) {
    double a = Math.abs(x);
    double w = 2 - a * a / 32;
    double zeros =
        (a - 3.8317059702075125 + 1.5269184090088067e-16)
            * (a + 3.8317059702075125)
            * (a - 7.015586669815619 + 9.414165653410389e-17)
            * (a + 7.015586669815619);
    double near =
        a
            * zeros
            * Polynomial.of(
                w,
                Polynomial.of(
                    w,
                    Polynomial.of(
                        w,
                        3.9096323215705757e-16,
                        6.301943052729814e-15,
                        1.8143489504468164e-13,
                        3.761149415304384e-12,
                        6.771294533358211e-11,
                        1.0146271874227115e-09,
                        1.245036553757515e-08),
                    1.2212206045574575e-07,
                    9.285153964001997e-07,
                    5.251594122240832e-06,
                    2.0847308152125523e-05,
                    5.313920935240362e-05,
                    7.445432699599994e-05),
                4.0232757124382825e-05);
    double u = 64 / (a * a);
    double p =
        Polynomial.of(
                u,
                3.12677022560777e-05,
                0.005348309086491477,
                0.1294328109317495,
                0.8370739579174196,
                1.7265512060535633,
                1)
            / Polynomial.of(
                u,
                2.4804212618492824e-05,
                0.005139317340834225,
                0.12796393689322405,
                0.8339511049929196,
                1.7247201513660642,
                1);
    double q =
        (Polynomial.of(
                    u,
                    3.216970253693168e-05,
                    0.00427353127049254,
                    0.08020824856076665,
                    0.4242710392192436,
                    0.7431191311155555,
                    0.375)
                / Polynomial.of(
                    u,
                    0.00011427436827591027,
                    0.012159255231439644,
                    0.21841935420799383,
                    1.139693504567613,
                    1.9859234772456338,
                    1))
            / a;
    double sine = Math.sin(a);
    double cosine = Math.cos(a);
    // sqrt(2) cos(a - 3 pi / 4) and sqrt(2) sin(a - 3 pi / 4), without cancellation
    double sum = sine + cosine;
    double difference = sine - cosine;
    double double2 = Math.cos(2 * a);
    boolean opposite = sine * cosine < 0;
    double c = opposite ? difference : -double2 / sum;
    double s = opposite ? double2 / difference : -sum;
    double far = (p * c - q * s) / Math.sqrt(Math.PI * a);
    double magnitude = a < 8 ? near : a == Double.POSITIVE_INFINITY ? 0 : far;
    return x < 0 ? -magnitude : magnitude;
  }

  /** Modified Bessel function of order 0, times {@code exp(-|x|)}. */
  public static double i0e(double value) {
    double x = Math.abs(value);
    double near =
        Polynomial.of(
                x,
                Polynomial.of(
                    x,
                    -2.761090584844651e-13,
                    -3.641727660189618e-11,
                    1.213563067931905e-09,
                    1.3832767256574647e-08,
                    9.51404506188312e-07,
                    5.3422800759617774e-06,
                    0.0001695988538161837),
                0.00043375535292531893,
                0.010783230715943013,
                0.010166297374640082,
                0.22978688470253572,
                0.045304131436378126,
                1)
            / Polynomial.of(
                x,
                Polynomial.of(
                    x,
                    -1.4246972764172885e-11,
                    5.396452497361293e-11,
                    1.215554551994152e-08,
                    3.6506240954643495e-07,
                    6.61621151361061e-06,
                    8.609831918721556e-05,
                    0.0008510114845892936),
                0.006499606898080487,
                0.03816257164571548,
                0.16794588160308277,
                0.5250910161388999,
                1.0453041314363787,
                1);
    double v = 16 / x - 1;
    double far =
        Polynomial.of(
                v,
                Polynomial.of(
                    v,
                    Polynomial.of(
                        v,
                        Polynomial.of(
                            v,
                            1.0903585421268422e-10,
                            3.474483574105955e-11,
                            -7.483166361462976e-10,
                            -2.7225490616366765e-10,
                            2.3997934468880066e-09,
                            1.086953153913462e-09,
                            -4.849564686963892e-09),
                        -3.1119043983900056e-09,
                        6.790177414928385e-09,
                        7.318448910227864e-09,
                        -5.1623377180951056e-09,
                        -1.3317545302994468e-08,
                        -6.806178914246735e-09),
                    7.531733302029604e-09,
                    2.1556884116595202e-08,
                    3.93293792355332e-08,
                    8.872153308598188e-08,
                    2.973595549959798e-07,
                    1.4838475874203249e-06),
                1.1143033803055229e-05,
                0.00013621607439183683,
                0.0033605519836677174,
                0.4021765094450081)
            / Math.sqrt(x);
    return x < 8 ? near : far;
  }

  /** Modified Bessel function of order 1, times {@code exp(-|x|)}. */
  public static double i1e(double value) {
    double x = Math.abs(value);
    double near =
        x
            * (Polynomial.of(
                    x,
                    Polynomial.of(
                        x,
                        -1.1207479806774898e-13,
                        4.200409473782936e-11,
                        4.4441768282499435e-09,
                        9.688435355414466e-08,
                        1.8088209218336224e-06,
                        2.1899023363947927e-05,
                        0.00020308527707950846),
                    0.0017728509583971987,
                    0.007654193613782541,
                    0.055668413896129844,
                    0.07411964178300212,
                    0.5)
                / Polynomial.of(
                    x,
                    Polynomial.of(
                        x,
                        1.5478916783646918e-09,
                        5.4962563789898e-08,
                        1.1326639102307827e-06,
                        1.650391148763529e-05,
                        0.0001826546861377932,
                        0.0015782060513391757,
                        0.010704059661831345),
                    0.05636536970583718,
                    0.223901613025715,
                    0.6345761113580396,
                    1.1482392835660145,
                    1));
    double v = 16 / x - 1;
    double far =
        Polynomial.of(
                v,
                Polynomial.of(
                    v,
                    Polynomial.of(
                        v,
                        Polynomial.of(
                            v,
                            -1.1357213027519415e-10,
                            -3.2123966337931194e-11,
                            7.803492537401956e-10,
                            2.55432728501943e-10,
                            -2.508599229419419e-09,
                            -1.0416225197671574e-09,
                            5.096314647621908e-09),
                        3.064539253544554e-09,
                        -7.223677210511336e-09,
                        -7.427239118270753e-09,
                        5.722878197166768e-09,
                        1.3950170294573532e-08,
                        6.7951514970246265e-09),
                    -8.406615243003152e-09,
                    -2.3382740640177034e-08,
                    -4.3132439329599164e-08,
                    -1.0001219597550515e-07,
                    -3.483852953454454e-07,
                    -1.834910154922394e-06),
                -1.5038547211788281e-05,
                -0.00021923576383379734,
                -0.009749577193235602,
                0.38939845902587233)
            / Math.sqrt(x);
    return Math.copySign(x < 8 ? near : far, value);
  }
}
