import type { NoteLine } from './note.ts';
import { utf8 } from '#core/export/bytes.ts';
import { crcOf } from '#core/export/crc.ts';
import { escaped, unescaped } from './markup.ts';

/** A table of a report: its heading, the names of its columns, and the texts of its cells. */
export interface ReportTable {
  readonly heading: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** True if the last column has texts, which are not in line like figures. */
  readonly isText?: boolean;
  /** Below the table; empty for nothing. */
  readonly note: string;
}

export interface ReportInput {
  readonly title: string;
  readonly subtitle: string;
  /** Source, completeness and date. */
  readonly foot: string;
  /** The picture as an SVG document, for a light and a dark page. */
  readonly picture: { readonly light: string; readonly dark: string };
  readonly tables: readonly ReportTable[];
  readonly method: readonly NoteLine[];
  /** The counts as a long CSV file, so that the report opens as series again; null if they are too many. */
  readonly csv: string | null;
}

/** The beginning of every report, by which it is recognised. */
export const REPORT_START = '<!DOCTYPE html>\n<!--groundswell:report-->';
const DATA_START = '<pre id="groundswell-counts" hidden="hidden">';
const DATA_END = '</pre>';

/** Nothing is loaded and nothing runs: the file is all there is. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE = `
:root { color-scheme: light dark; --ink: #17181c; --quiet: #5b5d66; --line: #e7e7ea; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf1; --quiet: #a3a6b3; --line: #25262c; --ground: #0f1013; } }
@media print { :root { color-scheme: light; --ink: #17181c; --quiet: #5b5d66; --line: #d6d6db; --ground: #fff; } }
body { max-width: 960px; margin: 0 auto; padding: 40px 24px 56px; font: 15px/1.5 'Inter Variable', Inter, system-ui, sans-serif; color: var(--ink); background: var(--ground); overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; letter-spacing: -0.01em; }
h2 { margin: 40px 0 8px; font-size: 17px; break-after: avoid; }
p { margin: 4px 0; }
.quiet, .foot { color: var(--quiet); }
.foot { margin-top: 40px; padding-top: 12px; border-top: 1px solid var(--line); font-size: 13px; }
figure { margin: 16px 0 0; overflow-x: auto; break-inside: avoid; }
figure svg { display: block; width: 100%; min-width: 640px; height: auto; }
.dark { position: absolute; width: 0; height: 0; overflow: hidden; visibility: hidden; }
@media screen and (prefers-color-scheme: dark) { .light { position: absolute; width: 0; height: 0; overflow: hidden; visibility: hidden; } .dark { position: static; width: auto; height: auto; visibility: visible; } }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 0 5px 16px; text-align: right; white-space: nowrap; overflow-wrap: normal; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 0; text-align: left; white-space: normal; min-width: 9em; overflow-wrap: anywhere; }
.text th:last-child, .text td:last-child { min-width: 20em; text-align: left; white-space: normal; overflow-wrap: anywhere; }
thead { display: table-header-group; }
thead th { font-weight: 500; color: var(--quiet); vertical-align: bottom; }
tr { break-inside: avoid; }
tbody th { font-weight: 500; }
dl { display: grid; grid-template-columns: minmax(120px, auto) 1fr; gap: 2px 16px; margin: 8px 0 0; font-size: 13px; }
dt { color: var(--quiet); }
dd { margin: 0; }
dl .series { grid-column: 1 / -1; margin-top: 10px; font-weight: 600; color: var(--ink); }
dl .sentence { grid-column: 1 / -1; }
@media print { body { max-width: none; padding: 0; } .scroll, figure { overflow: visible; } figure svg { min-width: 0; } }
`;

function tableHtml({ heading, columns, rows, note, isText = false }: ReportTable): string {
  const head = columns.map((name) => `<th scope="col">${escaped(name)}</th>`);
  const body = rows.map(([first = '', ...rest]) => {
    const cells = rest.map((cell) => `<td>${escaped(cell)}</td>`);
    return `<tr><th scope="row">${escaped(first)}</th>${cells.join('')}</tr>\n`;
  });
  const below = note === '' ? '' : `<p class="quiet">${escaped(note)}</p>`;
  return `<h2>${escaped(heading)}</h2>\n<div class="scroll"><table${isText ? ' class="text"' : ''}><thead><tr>${head.join('')}</tr></thead><tbody>\n${body.join('')}</tbody></table></div>${below}\n`;
}

function methodHtml(method: readonly NoteLine[]): string {
  const lines = method.map(({ of, name, value }) => {
    if (of === 'series') return `<dt class="series">${escaped(value)}</dt>`;
    if (name === '') return `<dd class="sentence">${escaped(value)}</dd>`;
    return `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`;
  });
  return `<h2>Method</h2>\n<dl>\n${lines.join('\n')}\n</dl>\n`;
}

/** An SVG document as part of a page. */
const inline = (svg: string): string => svg.slice(svg.indexOf('<svg '));

/**
 * Writes a report: one file that needs nothing else, without scripts, that follows the reader's light or dark theme and
 * prints on white. No text of the user or of a Post can become markup. The file is also well-formed XML.
 */
export function reportHtml(input: ReportInput): string {
  const { title, subtitle, foot, picture, tables, method, csv } = input;
  const data = csv === null ? '' : `${DATA_START}${escaped(csv)}${DATA_END}\n`;
  return sealed(`${REPORT_START}
<html lang="en"><head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="${POLICY}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head><body>
<h1>${escaped(title)}</h1>
<p class="quiet">${escaped(subtitle)}</p>
<figure class="light">${inline(picture.light)}</figure>
<figure class="dark" aria-hidden="true">${inline(picture.dark)}</figure>
${tables.map(tableHtml).join('')}${methodHtml(method)}<p class="foot">${escaped(foot)}</p>
${data}</body></html>
`);
}

const SEAL = /^([^]*)<!--crc-32:([0-9a-f]{8})-->\n$/;
const sumOf = (html: string): string => crcOf(utf8(html)).toString(16).padStart(8, '0');

/** Ends a report with the checksum of all before it. */
const sealed = (html: string): string => `${html}<!--crc-32:${sumOf(html)}-->\n`;

/** True if a report has the checksum that it was written with; null if it has none. */
export function isUnchanged(html: string): boolean | null {
  const [, body, sum] = SEAL.exec(html) ?? [];
  return body === undefined ? null : sumOf(body) === sum;
}

/** The counts in a report as a long CSV file; null if it has none. */
export function csvInReport(html: string): string | null {
  const start = html.lastIndexOf(DATA_START);
  const end = html.indexOf(DATA_END, start);
  if (start < 0 || end < 0) return null;
  return unescaped(html.slice(start + DATA_START.length, end));
}
