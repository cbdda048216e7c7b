import { areaOf, boxExtent, LIMIT_KM, MILE_KM, readBracketed } from './area.ts';
import type { Verdict } from './values.ts';

type Fault = Extract<Verdict, { ok: false }>;

const CIRCLE = { count: 3, example: '[longitude latitude radius] such as [-0.1276 51.5072 5mi]' };
const BOX = { count: 4, example: '[west south east north] such as [-0.3 51.4 0.0 51.6]' };

function fault(message: string, offset?: number, fix?: string): Fault {
  return {
    ok: false,
    message,
    ...(offset === undefined ? {} : { offset }),
    ...(fix === undefined ? {} : { fix }),
  };
}

type Part = NonNullable<ReturnType<typeof readBracketed>>['parts'][number];

/** The fault of a longitude or latitude that is not one; null if it is sound. */
function degreesFault(part: Part, axis: 'longitude' | 'latitude'): Fault | null {
  const limit = axis === 'longitude' ? 180 : 90;
  if (part.number !== null && part.unit === '' && Math.abs(Number(part.number)) <= limit)
    return null;
  const range = `expected a decimal from -${limit} to ${limit}`;
  return fault(`Invalid ${axis} '${part.text}': ${range}`, part.at);
}

/** The parts of a bracketed value, or a fault that shows the expected form. */
function partsOf(
  value: string,
  quoted: boolean,
  form: { readonly count: number; readonly example: string },
  check: (value: string) => Verdict,
): readonly Part[] | Fault {
  const parts = quoted ? undefined : readBracketed(value)?.parts;
  if (parts?.length === form.count) return parts;
  const message = `Invalid area '${value}': expected ${form.example}`;
  const inner = value.replace(/^\[/, '').replace(/\]$/, '');
  const meant = `[${inner.replaceAll(/[\s,;]+/g, ' ').trim()}]`;
  // At most one level of recursion: normalising a normalised value changes nothing.
  const verdict = quoted || meant !== value ? check(meant) : null;
  return fault(message, undefined, verdict?.ok ? verdict.value : undefined);
}

/**
 * Checks the value of `point_radius:`: `[lon lat radius]`, the radius in mi or km.
 *
 * @param below - Km that the radius stays below; 25 miles, or infinity.
 */
export function circle(value: string, quoted: boolean, below = LIMIT_KM): Verdict {
  const parts = partsOf(value, quoted, CIRCLE, (meant) => circle(meant, false, below));
  if ('ok' in parts) return parts;
  const [lon, lat, radius] = parts as [Part, Part, Part];
  const wrong = degreesFault(lon, 'longitude') ?? degreesFault(lat, 'latitude');
  if (wrong) return wrong;
  const { number, unit, text, at } = radius;
  const km = Number(number) * (unit === 'mi' ? MILE_KM : 1);
  if (number === null || !/^(?:mi|km)$/.test(unit) || km <= 0 || km >= below) {
    const range = `expected a number with mi or km, above 0${below === Infinity ? '' : ' and below 25mi'}`;
    return fault(`Invalid radius '${text}': ${range}`, at);
  }
  return { ok: true, value: `[${lon.number} ${lat.number} ${number}${unit}]` };
}

/**
 * Checks the value of `bounding_box:`: `[west south east north]`.
 *
 * @param below - Km that width and height stay below; 25 miles, or infinity.
 */
export function box(value: string, quoted: boolean, below = LIMIT_KM): Verdict {
  const parts = partsOf(value, quoted, BOX, (meant) => box(meant, false, below));
  if ('ok' in parts) return parts;
  const [west, south, east, north] = parts as [Part, Part, Part, Part];
  const wrong =
    degreesFault(west, 'longitude') ??
    degreesFault(south, 'latitude') ??
    degreesFault(east, 'longitude') ??
    degreesFault(north, 'latitude');
  if (wrong) return wrong;
  const sound = `[${west.number} ${south.number} ${east.number} ${north.number}]`;
  const area = areaOf(sound);
  if (area.kind !== 'box') return fault('');
  if (area.west >= area.east) {
    return fault(`Invalid area '${value}': west must be west of east`, west.at);
  }
  if (area.south >= area.north) {
    return fault(`Invalid area '${value}': south must be south of north`, south.at);
  }
  const { width, height } = boxExtent(area);
  if (width >= below || height >= below) {
    const [name, km, at] =
      width >= below ? ['width', width, west.at] : ['height', height, south.at];
    const miles = Math.floor((km / MILE_KM) * 10) / 10;
    return fault(`Invalid area '${value}': its ${name} of ${miles}mi is not below 25mi`, at);
  }
  return { ok: true, value: sound };
}

/** Describes an area in plain words that follow “within”. */
export function describeArea(value: string): string {
  const [a, b, c, d] = readBracketed(value)?.parts.map((part) => part.text) ?? [];
  if (d === undefined) return `${c} of longitude ${a}, latitude ${b}`;
  return `longitude ${a} to ${c}, latitude ${b} to ${d}`;
}
