import { plainName } from './fields.ts';

/** Names of columns as files in German have them, as {@link plainName} writes them; a few are words of other languages too. */
const GERMAN = new Set(
  [
    'Datum',
    'Datum und Uhrzeit',
    'Uhrzeit',
    'Veröffentlicht am',
    'Veröffentlichungsdatum',
    'Veröffentlicht',
    'Erstellt am',
    'Erstellungsdatum',
    'Zeitpunkt',
    'Zeitstempel',
    'Gepostet am',
    'Verfasser',
    'Verfasserin',
    'Autorin',
    'Benutzer',
    'Benutzername',
    'Nutzer',
    'Nutzername',
    'Inhalt',
    'Beitrag',
    'Beitragstext',
    'Nachricht',
    'Sprache',
  ].map(plainName),
);

/** True if a header is probably in German. */
export function isGerman(header: readonly string[]): boolean {
  return header.some((name) => GERMAN.has(plainName(name)));
}

/** Zones by the abbreviation that exports put after the name of a column, such as `Timestamp (ET)`. */
const ZONES: Readonly<Record<string, string>> = {
  UTC: 'UTC',
  GMT: 'UTC',
  ET: 'America/New_York',
  CT: 'America/Chicago',
  MT: 'America/Denver',
  PT: 'America/Los_Angeles',
  CET: 'Europe/Berlin',
};

/** The time zone that a column's name states; null if it states none that is known. */
export function zoneIn(name: string): string | null {
  const [, inside = ''] = /\(([^)]*)\)\s*$/.exec(name) ?? [];
  const abbreviation = inside
    .trim()
    .toUpperCase()
    .replace(/^([ECMP])[SD]T$/, '$1T');
  return ZONES[abbreviation] ?? null;
}
