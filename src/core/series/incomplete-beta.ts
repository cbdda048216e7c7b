/** Coefficients of Lanczos' approximation with g = 7 and 9 terms (P. Godfrey, 2001); exact to 1e-15. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

/** Natural logarithm of the gamma function for x ≥ ½. */
function logGamma(x: number): number {
  let sum = LANCZOS[0] ?? 0;
  for (let i = 1; i < LANCZOS.length; i++) sum += (LANCZOS[i] ?? 0) / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Keeps a denominator of the continued fraction away from zero (Lentz). */
function offZero(x: number): number {
  return Math.abs(x) < 1e-300 ? 1e-300 : x;
}

/**
 * Regularized incomplete beta function by its continued fraction (DLMF 8.17.22) in Lentz' form, in
 * about √max(a, b) terms.
 */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  let c = 1;
  let d = 1 / offZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  const limit = 1000 + 20 * Math.sqrt(Math.max(a, b));
  for (let m = 1; m < limit; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / offZero(1 + even * d);
    c = offZero(1 + even / c);
    value *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / offZero(1 + odd * d);
    c = offZero(1 + odd / c);
    const step = c * d;
    value *= step;
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return (front * value) / a;
}

/**
 * The odds x / (1 − x) at which the incomplete beta function has a given value, by bisection of their
 * logarithm.
 */
export function betaOdds(probability: number, a: number, b: number): number {
  let low = Math.log(a / b) - 60 / Math.sqrt(Math.min(a, b)) - 1;
  let high = Math.log(a / b) + 60 / Math.sqrt(Math.min(a, b)) + 1;
  for (let i = 0; i < 80 && high - low > 1e-14; i++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(1 / (1 + Math.exp(-middle)), a, b) < probability) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}
