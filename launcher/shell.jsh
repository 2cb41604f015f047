import module ristretto.expr;
import static ristretto.expr.Ops.*;
var ctx = Context.open();
