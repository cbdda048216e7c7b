/** A sample of the OpenMetrics text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples that belong together. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const COMMENT = new RegExp(`^# (TYPE|HELP|UNIT) (${NAME}) (.*)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const NUMBER = /^(?:[+-]?Inf|NaN|[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?|[+-]?\.\d+(?:e[+-]?\d+)?)$/i;

/** Suffixes of the samples of a family (OpenMetrics 1.0, "Metric Types"). */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
  summary: ['', '_count', '_sum', '_created'],
  info: ['_info'],
  unknown: [''],
};

function valueOf(text: string): number {
  if (!NUMBER.test(text)) throw new SyntaxError(`expected a number, got ${text}`);
  return Number(text.replace(/^([+-]?)Inf$/i, '$1Infinity'));
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex;
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (name === '' || name in labels) throw new SyntaxError(`expected a label at ${at}: ${text}`);
    labels[name] = value.replace(/\\(["\\n])/g, (_, one: string) => (one === 'n' ? '\n' : one));
  }
  if (text.endsWith(',')) throw new SyntaxError(`expected no comma at the end: ${text}`);
  return labels;
}

/** True if buckets grow up to the one of all, which is the count. */
function checkHistogram({ name, samples }: Family): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const all of series.values()) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => valueOf(labels['le'] ?? ''));
    const counts = buckets.map(({ value }) => value);
    const sorted = (list: number[]): boolean => list.every((n, i) => i === 0 || n >= list[i - 1]!);
    const total = all.find((sample) => sample.name === `${name}_count`)?.value;
    if (!sorted(bounds) || !sorted(counts) || bounds.at(-1) !== Infinity || counts.at(-1) !== total)
      throw new SyntaxError(`expected growing buckets of ${name} up to its count`);
  }
}

/**
 * Reads the OpenMetrics text format 1.0 without timestamps and exemplars.
 *
 * @throws {SyntaxError} with the line for anything that the format does not allow.
 */
export function readOpenMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n# EOF\n')) throw new SyntaxError('expected # EOF at the end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let family = null as { name: string; type: string; help: string; samples: Sample[] } | null;
  for (const line of text.slice(0, -'# EOF\n'.length).trimEnd().split('\n')) {
    const [, keyword, of = '', rest = ''] = COMMENT.exec(line) ?? [];
    if (keyword !== undefined) {
      if (family?.name !== of) {
        if (families.has(of)) throw new SyntaxError(`expected ${of} in one place: ${line}`);
        family = { name: of, type: 'unknown', help: '', samples: [] };
        families.set(of, family);
      }
      if (family.samples.length > 0) throw new SyntaxError(`expected this before samples: ${line}`);
      if (keyword === 'TYPE' && !(rest in SUFFIXES))
        throw new SyntaxError(`expected a type: ${line}`);
      if (keyword === 'TYPE') family.type = rest;
      if (keyword === 'HELP') family.help = rest;
      continue;
    }
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    const suffixes = family && SUFFIXES[family.type];
    if (!family || !suffixes?.some((suffix) => name === family?.name + suffix)) {
      throw new SyntaxError(`expected a sample of ${String(family?.name)}: ${line}`);
    }
    const sample = { name, labels: labelsOf(labels), value: valueOf(value) };
    const key = JSON.stringify([name, Object.entries(sample.labels).sort()]);
    if (seen.has(key)) throw new SyntaxError(`expected each sample once: ${line}`);
    seen.add(key);
    family.samples.push(sample);
  }
  for (const each of families.values()) if (each.type === 'histogram') checkHistogram(each);
  return families;
}
