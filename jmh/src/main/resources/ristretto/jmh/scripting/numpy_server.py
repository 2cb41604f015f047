"""NumPy's side of the protocol that PeerServer.java describes; probes are sums of magnitudes."""
import sys
import time

try:
    import numpy as np
    import scipy
    import scipy.fft
    import scipy.linalg
except ImportError as e:
    print("error", e, flush=True)
    sys.exit(0)


def f64(number, *dims):
    k = np.arange(np.prod(dims), dtype=np.uint64) + np.uint64(40503 * number)
    k = (k * np.uint64(2654435761) & np.uint64(0xFFFFFFFF)) >> np.uint64(8)
    return (k * 2.0**-24).reshape(dims)


def f32(number, *dims):
    return f64(number, *dims).astype(np.float32)


def i64(number, limit, *dims):
    return (f64(number, *dims) * limit).astype(np.int64)


def topk():
    x = f32(1, 2_000_000)
    return lambda: -np.sort(-x[np.argpartition(-x, 10)[:10]])


def argmax():
    x = f32(1, 10_000_000)
    return lambda: np.argmax(x)


def einsum():
    a, b, c = f64(1, 300, 40), f64(2, 40, 500), f64(3, 500, 200)
    return lambda: np.einsum("ij,jk,kl->il", a, b, c, optimize=True)


def integer_product():
    a, b = i64(1, 1000, 300, 300), i64(2, 1000, 300, 300)
    return lambda: a @ b


def integer_product_i32():
    a, b = i64(1, 1000, 300, 300).astype(np.int32), i64(2, 1000, 300, 300).astype(np.int32)
    return lambda: a @ b


def complex128(*dims):
    return f64(1, *dims) + 1j * f64(2, *dims)


def of(function, *data):
    return lambda: function(*data)


def compress():
    x = f64(1, 1_000_000)
    return lambda: x[x > 0.5]


def nonzero():
    x = f64(1, 1_000_000)
    return lambda: np.nonzero(x > 0.5)[0]


def scan(function, x):
    y = np.empty_like(x)
    return lambda: function(x, out=y)


LINES = {
    "topk": topk,
    "argmax": argmax,
    "einsum-3": einsum,
    "product-i64": integer_product,
    "product-i32": integer_product_i32,
    "sort-f64": lambda: of(np.sort, f64(1, 1_000_000)),
    "sort-f32": lambda: of(np.sort, f32(1, 1_000_000)),
    "sort-i64": lambda: of(np.sort, i64(1, 1_000_000, 1_000_000)),
    "argsort": lambda: of(np.argsort, f64(1, 1_000_000)),
    "quantile": lambda: of(np.quantile, f64(1, 1_000_000), 0.3),
    "unique-i64": lambda: of(np.unique, i64(1, 1000, 1_000_000)),
    "unique-f64": lambda: of(np.unique, f64(1, 1_000_000)),
    "compress": compress,
    "nonzero": nonzero,
    "histogram": lambda: of(lambda x: np.histogram(x, 100, (0, 1))[0], f64(1, 1_000_000)),
    "bincount": lambda: of(np.bincount, i64(1, 1000, 1_000_000)),
    "cumsum-f64": lambda: scan(np.cumsum, f64(1, 10_000_000)),
    "cumsum-f32": lambda: scan(np.cumsum, f32(1, 10_000_000)),
    "cumsum-i64": lambda: scan(np.cumsum, i64(1, 1000, 10_000_000)),
    "cummax-f64": lambda: scan(np.maximum.accumulate, f64(1, 10_000_000)),
    "fft-2^10": lambda: of(scipy.fft.fft, complex128(1 << 10)),
    "fft-2^20": lambda: of(scipy.fft.fft, complex128(1 << 20)),
    "fft2": lambda: of(scipy.fft.fft2, complex128(1000, 1000)),
    "rfft-2^10": lambda: of(scipy.fft.rfft, f64(1, 1 << 10)),
    "rfft-2^20": lambda: of(scipy.fft.rfft, f64(1, 1 << 20)),
    "rfft2": lambda: of(scipy.fft.rfft2, f64(1, 1000, 1000)),
}


def main():
    print("ok NumPy", np.__version__, "and SciPy", scipy.__version__, flush=True)
    work = None
    for request in sys.stdin:
        words = request.split()
        try:
            if words[0] == "prepare":
                if words[1] not in LINES:
                    print("no", flush=True)
                    continue
                work = LINES[words[1]]()
                answer = "ok"
            elif words[0] == "time":
                start = time.perf_counter_ns()
                for _ in range(int(words[1])):
                    work()
                answer = "ok %d" % (time.perf_counter_ns() - start)
            elif words[0] == "probe":
                answer = "ok %r" % float(np.sum(np.abs(np.real(work())).astype(np.float64)))
            else:
                work = None
                answer = "ok"
        except Exception as e:
            answer = "error " + " ".join(str(e).split())
        print(answer, flush=True)


main()
