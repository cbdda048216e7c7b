import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup with all of its values escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The colours of the dashboard (`src/app/ui/tokens.css`), by the system's theme: the page has no script. */
const STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --panel: #fafafa; --line: #d6d6db; --ink: #17181c;
  --ink-2: #5b5d66; --accent: #1558c0; --fault: #fdf0ef; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1013; --panel: #15161a; --line: #34363e; --ink: #ececf1;
  --ink-2: #a3a6b3; --accent: #8fbbff; --fault: #2d1917; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 'Inter Variable', system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 30rem; margin: 0 auto; padding: 2.5rem 1.25rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 1rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p, ul { margin: 0 0 1rem; }
ul { padding-left: 1.25rem; }
.note { color: var(--ink-2); font-size: .875rem; }
.fault { background: var(--fault); border-radius: 6px; padding: .75rem 1rem; }
fieldset { border: 1px solid var(--line); border-radius: 6px; background: var(--panel); margin: 0 0 1rem; padding: .5rem 1rem; }
legend { font-weight: 600; padding: 0 .25rem; }
label { display: flex; gap: .75rem; align-items: center; min-height: 44px; }
input { width: 1.25rem; height: 1.25rem; flex: none; accent-color: var(--accent); }
.field { display: block; font-weight: 600; margin: 0 0 1rem; }
.field input { display: block; width: 100%; height: 44px; margin-top: .25rem; padding: .5rem .75rem; border-radius: 6px;
  border: 1px solid var(--ink-2); background: var(--ground); color: var(--ink); font: inherit; font-weight: 400; }
.hint { color: var(--ink-2); font-size: .875rem; font-weight: 400; }
.row { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between; }
.rows { list-style: none; padding: 0; }
.rows li { border-top: 1px solid var(--line); padding: .5rem 0; }
.brand { display: flex; gap: .75rem; align-items: center; margin: 0 0 1.5rem; color: var(--ink-2); font-weight: 600; }
.brand img { width: 28px; height: 28px; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }
.choices { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: 1.5rem 0 1rem; }
button, .button { font: inherit; font-weight: 600; min-height: 44px; padding: .5rem 1rem; border-radius: 6px;
  border: 1px solid var(--accent); background: var(--panel); color: var(--accent); cursor: pointer;
  display: inline-block; text-align: center; text-decoration: none; }
.main { background: var(--accent); color: var(--ground); width: 100%; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code, output { font-family: 'JetBrains Mono Variable', ui-monospace, monospace; }
output { display: block; font-size: 2rem; letter-spacing: .1em; margin: 0 0 1rem; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * Answers with a page of this service that has no script, cannot be framed, and sends its form only to this service.
 *
 * @param lead - The content above the title.
 * @param callback - Sources of the addresses that an answer to the form may redirect to.
 */
export function page(
  c: Context,
  status: 200 | 400 | 401 | 403 | 429 | 503,
  {
    title,
    body,
    lead = '',
    callback = '',
  }: { title: string; body: Markup; lead?: Markup | ''; callback?: string },
): Response | Promise<Response> {
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${STYLE_HASH}'`,
    `img-src 'self'`,
    `form-action 'self' ${callback}`.trim(),
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ];
  c.header('content-security-policy', policy.join('; '));
  // With `no-referrer`, browsers send `Origin: null` with the form, and the origin could not be checked. Other origins
  // get no referrer from this value either.
  c.header('referrer-policy', 'same-origin');
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title} – Groundswell</title>
          <link rel="icon" href="/icon.svg" type="image/svg+xml" />
          ${raw(`<style>${STYLE}</style>`)}
        </head>
        <body>
          <main>
            ${lead}
            <h1>${title}</h1>
            ${body}
          </main>
        </body>
      </html>`,
    status,
  );
}
