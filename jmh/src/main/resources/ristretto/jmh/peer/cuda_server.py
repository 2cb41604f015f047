"""PyTorch's and CuPy's side of the protocol that PeerServer.java describes, on the first GPU."""
import sys
import time

MODE = sys.argv[1]  # eager, compile or cupy
try:
    if MODE == "cupy":
        import cupy as lib
        VERSION = "CuPy %s on %s" % (
            lib.__version__, lib.cuda.runtime.getDeviceProperties(0)["name"].decode())
        finish = lib.cuda.runtime.deviceSynchronize
    else:
        import torch as lib
        VERSION = "PyTorch %s, %s, on %s" % (lib.__version__, MODE, lib.cuda.get_device_name(0))
        finish = lib.cuda.synchronize
except Exception as e:
    print("error", " ".join(str(e).split()), flush=True)
    sys.exit(0)


def floats(number, length, low, high):
    if MODE == "cupy":
        values = lib.arange(length, dtype=lib.int64)
    else:
        values = lib.arange(length, dtype=lib.int64, device="cuda")
    # Below 2^24 in the end: exact in every type.
    values = ((values + 40503 * number) * 2654435761 & 0xFFFFFFFF) >> 8
    if MODE != "cupy":
        values = values.to(lib.float64)
    values = low + (high - low) * (values * 2.0**-24)
    return values.astype(lib.float32) if MODE == "cupy" else values.to(lib.float32)


def normal(d):
    k = 1 / (1 + 0.2316419 * abs(d))
    p = 0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    upper = lib.exp(-0.5 * d * d) * 0.39894228 * (p * k)
    return lib.where(d < 0, upper, 1 - upper)


def black_scholes(a, b, c):
    deviation = lib.sqrt(c) * 0.3
    d1 = (lib.log(a / b) + c * 0.065) / deviation
    return a * normal(d1) - b * lib.exp(c * -0.02) * normal(d1 - deviation)


def softmax(a):
    if MODE != "cupy":
        return lib.softmax(a, 1)
    e = lib.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(a):
    if MODE != "cupy":
        return lib.nn.functional.layer_norm(a, a.shape[1:])
    d = a - a.mean(axis=1, keepdims=True)
    return d / lib.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5)


def relu(a):
    return lib.maximum(a, lib.float32(0)) if MODE == "cupy" else lib.relu(a)


def column_max(a):
    return a.max(axis=0) if MODE == "cupy" else lib.amax(a, 0)


def copied(a):
    return a.copy() if MODE == "cupy" else a.clone()


def packed(a):
    return lib.ascontiguousarray(a) if MODE == "cupy" else a.contiguous()


MAPS = {
    "axpby": lambda a, b: 3 * a + 2 * b,
    "sigmoid": lambda a: 1 / (1 + lib.exp(-a)),
    "gelu": lambda a: a * 0.5 * (lib.tanh((a + a * a * a * 0.044715) * 0.7978845608) + 1),
    "mix8": lambda a, b, c: lib.maximum(lib.sqrt(a * b + c) / lib.exp(b), lib.log(a) * c),
    "blackscholes": black_scholes,
}
OTHERS = {
    "copy": copied,
    "sum3": lambda a, b, c: ((a + b) * c).sum(),
    "softmax": softmax,
    "layernorm": layer_norm,
    "colsum": lambda a: a.sum(0),
    "rowsum": lambda a: a.sum(1),
    "midsum": lambda a: a.sum(1),
    "outersum": lambda a: a.sum((0, 2)),
    "colmax": column_max,
    "biasrelu": lambda a, b: relu(a + b),
    "transpose": lambda a: packed(a.T),
    "rowslice": lambda a: packed(a[::2, :]),
    "colslice": lambda a: packed(a[:, ::2]),
    "dot": lambda a, b: a @ b,
    "dense": lambda a, b, c: relu(a @ b + c),
}


def shape(line, dims, number):
    if line in ("dot", "dense"):
        return [(dims[0], dims[2]), (dims[2], dims[1]), (dims[1],)][number]
    if line == "biasrelu" and number == 1:
        return (dims[1],)
    if line == "rowslice":
        return (2 * dims[0], dims[1])
    if line == "colslice":
        return (dims[0], 2 * dims[1])
    return tuple(dims)


class Work:
    def __init__(self, line, arrays):
        function = MAPS.get(line) or OTHERS[line]
        if MODE == "compile":
            lib._dynamo.reset()
            function = lib.compile(function)
        elif MODE == "cupy" and line in MAPS and line != "blackscholes":
            function = lib.fuse(function)
        self.function, self.arrays, self.result = function, arrays, None

    def run(self):
        self.result = self.function(*self.arrays)


def main():
    print("ok", VERSION, flush=True)
    work = None
    for request in sys.stdin:
        words = request.split()
        try:
            if words[0] == "prepare":
                line = words[1]
                if line not in MAPS and line not in OTHERS:
                    print("no", flush=True)
                    continue
                dims = [int(d) for d in words[2].split("x")]
                parts = [w.split(":") for w in words[3:]]
                work = Work(line, [
                    floats(k, int(p[0]), float(p[1]), float(p[2])).reshape(shape(line, dims, k))
                    for k, p in enumerate(parts)])
                answer = "ok"
            elif words[0] == "time":
                finish()
                start = time.perf_counter_ns()
                for _ in range(int(words[1])):
                    work.run()
                finish()
                answer = "ok %d" % (time.perf_counter_ns() - start)
            elif words[0] == "probe":
                flat = work.result.reshape(-1)
                answer = "ok " + " ".join(repr(float(flat[int(w)])) for w in words[1:])
            else:
                work = None
                if MODE != "cupy":
                    lib.cuda.empty_cache()
                else:
                    lib.get_default_memory_pool().free_all_blocks()
                answer = "ok"
        except Exception as e:
            answer = "error " + " ".join(str(e).split())
        print(answer, flush=True)


if MODE == "cupy":
    main()
else:
    with lib.inference_mode():
        main()
