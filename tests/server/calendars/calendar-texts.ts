/** The text of a calendar with events, each the lines of one. */
export function ics(...events: readonly (readonly string[])[]): string {
  const lines = events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...lines, 'END:VCALENDAR', ''].join(
    '\r\n',
  );
}
