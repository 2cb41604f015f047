"""Writes cases.txt: arrays and how NumPy prints them. Run with NumPy 2.4 in this folder: python3 make_cases.py [N]

With a number, as many random cases go to standard output instead, for trying the printer harder than the tests do.
"""
import sys
import numpy as np

LABELS = {'float16': 'f16', 'float32': 'f32', 'float64': 'f64', 'int32': 'i32', 'int64': 'i64',
          'int8': 'i8', 'uint8': 'u8', 'bool': 'bool'}


def case(out, array, source=None):
    """source: how the reader makes the elements, 'bits' in hexadecimal or 'arange'."""
    if source is None:
        unsigned = array.view(f'u{array.itemsize}').ravel()
        source = 'bits ' + ' '.join(f'{int(v):x}' for v in unsigned)
    shape = ','.join(map(str, array.shape))
    print(f'case {LABELS[str(array.dtype)]} [{shape}]\n{source}', file=out)
    text = str(array) if array.shape == () else np.array2string(array)
    if array.dtype == bool:
        text = text.replace('True', 'true').replace('False', 'false')
    print(text + '\nend', file=out)


def f32(*values):
    return np.array(values, np.float32)


def f64(*values):
    return np.array(values, np.float64)


def chosen(out):
    nan, inf = np.nan, np.inf
    for a in [
        f32(1, 2, 3), f32(0.1, 0.25, 1 / 3), f32(-1.5, 22.25, 3), f32(1e-5, 1), f32(1e6), f32(999999),
        f32(1000.5, 1), f32(1001, 1), f32(1e-4, 1e-3), f32(9.9e-5), f32(nan, 1), f32(inf, -inf),
        f32(-inf, 1.25), f32(nan, nan), f32(1e38, -1e-38, 0), f32(1e-45, 3e-45, 1.4e-44), f32(0, -0.0),
        f32(16777216, 16777217), f32(0.1234567890123, 100), f32(-0.0), f32(3.4028235e38),
        f64(np.pi, np.e), f64(1e8), f64(99999999), f64(0.123456789012, 1e-9), f64(5e-324, 1e308),
        f64(1 / 3, 2 / 3, 1), f64(1e-100, nan, -inf), f64(0.1999999999999), f64(0.100000001234, 2),
        f64(123456.789, 0.5), f64(1e22, 1e23), f64(2.5e-320), f64(0.000099999999),
        f32(*np.linspace(0, 1, 11)), f32(*np.linspace(-1, 1, 37)), f64(*np.linspace(0, 1e5, 23)),
        np.array([1, -20, 300], np.int32), np.array([2**63 - 1, -2**63], np.int64),
        np.array([[1, 2], [3, -4]], np.int32), np.array([-128, 127], np.int8),
        np.array([0, 255], np.uint8), np.array([True, False]), np.array([True, True]),
        np.array([[True], [False]]), np.array(True), np.array(False),
        np.array(3, np.int32), np.array(-7, np.int64),
        np.array(np.pi, np.float32), np.array(np.pi), np.array(1, np.float32), np.array(1e16),
        np.array(1e15), np.array(1e-4), np.array(9e-5), np.array(nan), np.array(-inf),
        np.array(1e16, np.float32), np.array(0.1, np.float16), np.array(-0.0, np.float32),
        np.array([1, 0.1, 1000], np.float16), np.array([999, 0.5], np.float16),
        np.array([6e-8, 65504], np.float16), np.array([0.333, 2.5, -1], np.float16),
        np.zeros((0,), np.float32), np.zeros((2, 0, 3), np.float32), np.zeros((0, 4), np.int32),
        np.zeros((2, 3), np.float32), np.ones((2, 2, 2), np.float32), np.zeros((1, 1, 1, 1), np.int64),
        np.zeros((2, 1, 2, 1), np.float32), np.full((30,), 1.5, np.float32),
        np.full((2, 40), 0.25, np.float32), np.full((3, 2, 30), -7, np.int32),
    ]:
        case(out, a)
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        for shape in [(1000,), (1001,), (2000,), (40, 50), (1, 2000), (2000, 1), (7, 11, 13, 17), (3, 400),
                      (6, 6, 6, 6), (500, 3), (2, 3, 200), (1200000,)]:
            case(out, np.arange(np.prod(shape), dtype=dtype).reshape(shape), 'arange')


def random(out, count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        shape = tuple(rng.integers(1, 5, rng.integers(1, 4)))
        kind = rng.integers(0, 6)
        dtype = [np.float32, np.float64, np.float16][rng.integers(0, 3)]
        with np.errstate(all='ignore'):
            if kind == 0:
                a = rng.standard_normal(shape).astype(dtype)
            elif kind == 1:
                a = (10.0 ** rng.uniform(-6, 9, shape)).astype(dtype)
            elif kind == 2:
                a = np.round(rng.standard_normal(shape) * 100, rng.integers(0, 5)).astype(dtype)
            elif kind == 3:
                size = np.dtype(dtype).itemsize
                a = rng.integers(0, 2 ** (8 * size), shape, f'u{size}').view(dtype)
                a = np.where(np.isnan(a), dtype(np.nan), a)
            elif kind == 4:
                a = rng.integers(-2**31, 2**31, shape) >> rng.integers(0, 31)
                a = a.astype(np.int32)
            else:
                a = np.where(rng.random(shape) < 0.3, dtype(np.nan), rng.standard_normal(shape)).astype(dtype)
                a[rng.random(shape) < 0.2] = -np.inf
        case(out, a)


if len(sys.argv) > 1:
    random(sys.stdout, int(sys.argv[1]), 2)
else:
    with open('cases.txt', 'w') as out:
        chosen(out)
        random(out, 150, 1)
