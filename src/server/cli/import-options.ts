import type { TableOrder } from '#contract/posts/import.ts';
import { FIELDS } from '#core/import/fields.ts';
import { DATE_ORDERS } from '#core/import/stamp.ts';
import { QUOTES } from '#core/readers/csv.ts';
import { choiceOf, UsageError, type Option, type Values } from './options.ts';

/** Options of `import` that say how to read tables. */
export const TABLE_OPTIONS = {
  quotes: { type: 'string' },
  dates: { type: 'string' },
  zone: { type: 'string' },
  sheet: { type: 'string' },
} as const satisfies Readonly<Record<string, Option>>;

/** The fields in lines of help. */
function fieldLines(): string {
  const lines = [''];
  for (const field of FIELDS) {
    const line = lines.at(-1) ?? '';
    if (line.length + field.length > 84) lines.push(field);
    else lines[lines.length - 1] = line === '' ? field : `${line}, ${field}`;
  }
  return lines.join(',\n                ');
}

export const TABLE_HELP = `  --map PAIRS   names of columns by field, such as id=tweet_id,text=content; other columns are recognised
                by their names and values. The fields are
                ${fieldLines()}
  --quotes MODE csv or none: whether quotes around fields belong to the format, as in CSV, or to the texts
  --dates ORDER DMY or MDY: which number of dates such as 04/03/2024 is the day, if no date shows it
  --zone ZONE   time zone of times without an offset, such as Europe/Berlin (default: UTC)
  --sheet NAME  sheet of a workbook (default: the first with the columns of Posts)`;

function zoneOf(values: Values): string | null {
  const zone = values.get('zone')?.at(-1);
  if (zone === undefined) return null;
  try {
    Intl.DateTimeFormat('en-US', { timeZone: zone });
    return zone;
  } catch {
    throw new UsageError(`--zone ${zone} is not a time zone, such as Europe/Berlin.`);
  }
}

/** How to read tables. @throws {@link UsageError} for an unknown kind of quotes, order or zone. */
export function tableOf(values: Values): TableOrder {
  const quotes = choiceOf(values, 'quotes', QUOTES);
  const dates = choiceOf(values, 'dates', DATE_ORDERS);
  const zone = zoneOf(values);
  const sheet = values.get('sheet')?.at(-1);
  return {
    ...(quotes !== null && { quotes }),
    ...(dates !== null && { dates }),
    ...(zone !== null && { zone }),
    ...(sheet !== undefined && { sheet }),
  };
}
