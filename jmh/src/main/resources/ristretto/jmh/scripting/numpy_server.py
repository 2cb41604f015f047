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


def sort():
    x = f64(1, 1_000_000)
    return lambda: np.sort(x)


def cumsum():
    x = f64(1, 10_000_000)
    y = np.empty_like(x)
    return lambda: np.cumsum(x, out=y)


LINES = {
    "topk-2000000": topk,
    "argmax-10000000": argmax,
    "einsum-3": einsum,
    "integer-product-300": integer_product,
    "integer-product-i32": integer_product_i32,
    "sort-1000000": sort,
    "cumsum-10000000": cumsum,
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
                answer = "ok %r" % float(np.sum(np.abs(work()).astype(np.float64)))
            else:
                work = None
                answer = "ok"
        except Exception as e:
            answer = "error " + " ".join(str(e).split())
        print(answer, flush=True)


main()
