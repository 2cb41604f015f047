"""numexpr's side of the protocol that PeerServer.java describes."""
import sys
import time

try:
    import numexpr
    import numpy
except ImportError as e:
    print("error", e, flush=True)
    sys.exit(0)

FORMULAS = {
    "copy": "a",
    "axpby": "three * a + two * b",
    "sigmoid": "one / (one + exp(-a))",
    "gelu": "half * a * (one + tanh(c0 * (a + c1 * a * a * a)))",
    "mix8": "where(sqrt(a * b + c) / exp(b) > log(a) * c, sqrt(a * b + c) / exp(b), log(a) * c)",
    "sum3": "sum((a + b) * c)",
}
CONSTANTS = {
    name: numpy.float32(value)
    for name, value in dict(
        one=1, two=2, three=3, half=0.5, c0=0.7978845608, c1=0.044715,
        k0=0.2316419, p0=0.319381530, p1=-0.356563782, p2=1.781477937, p3=-1.821255978,
        p4=1.330274429, root=0.39894228, vol=0.3, drift=0.065, rate=-0.02,
    ).items()
}


def floats(number, length, low, high):
    values = numpy.arange(length, dtype=numpy.uint64)
    values += numpy.uint64(40503 * number)
    values *= numpy.uint64(2654435761)
    values &= numpy.uint64(0xFFFFFFFF)
    values >>= numpy.uint64(8)
    return (low + (high - low) * (values * 2.0**-24)).astype(numpy.float32)


def normal(d, names):
    """Two expressions: numexpr has no functions of one's own, and a limit on names in one."""
    k = numexpr.evaluate("one / (one + k0 * abs(d))", local_dict={**names, "d": d})
    w = numexpr.evaluate(
        "root * exp(-half * d * d) * k * (p0 + k * (p1 + k * (p2 + k * (p3 + k * p4))))",
        local_dict={**names, "d": d, "k": k})
    return numexpr.evaluate("where(d < 0, w, one - w)", local_dict={**names, "d": d, "w": w})


def black_scholes(names, out):
    dev = numexpr.evaluate("vol * sqrt(c)", local_dict=names)
    d1 = numexpr.evaluate("(log(a / b) + drift * c) / dev", local_dict={**names, "dev": dev})
    d2 = numexpr.evaluate("d1 - dev", local_dict={**names, "d1": d1, "dev": dev})
    n1, n2 = normal(d1, names), normal(d2, names)
    numexpr.evaluate("a * n1 - b * exp(rate * c) * n2",
                     local_dict={**names, "n1": n1, "n2": n2}, out=out)


class Work:
    def __init__(self, line, arrays):
        self.names = {**CONSTANTS, **dict(zip("abc", arrays))}
        self.result = numpy.empty_like(arrays[0]) if line != "sum3" else None
        if line == "blackscholes":
            self.run = lambda: black_scholes(self.names, self.result)
        elif line == "sum3":
            self.run = self.add
        else:
            self.run = lambda: numexpr.evaluate(
                FORMULAS[line], local_dict=self.names, out=self.result)

    def add(self):
        self.result = numpy.atleast_1d(numexpr.evaluate(FORMULAS["sum3"], local_dict=self.names))


def main():
    numexpr.set_num_threads(int(sys.argv[1]))
    print("ok numexpr", numexpr.__version__, flush=True)
    work = None
    for request in sys.stdin:
        words = request.split()
        try:
            if words[0] == "prepare":
                line = words[1]
                if line not in FORMULAS and line != "blackscholes":
                    print("no", flush=True)
                    continue
                parts = [w.split(":") for w in words[3:]]
                work = Work(line, [floats(k, int(p[0]), float(p[1]), float(p[2]))
                                   for k, p in enumerate(parts)])
                answer = "ok"
            elif words[0] == "time":
                start = time.perf_counter_ns()
                for _ in range(int(words[1])):
                    work.run()
                answer = "ok %d" % (time.perf_counter_ns() - start)
            elif words[0] == "probe":
                answer = "ok " + " ".join(repr(float(work.result[int(w)])) for w in words[1:])
            else:
                work = None
                answer = "ok"
        except Exception as e:
            answer = "error " + " ".join(str(e).split())
        print(answer, flush=True)


main()
