/** The first of the user's languages that the browser can format numbers and dates in. @returns BCP 47. */
export function writtenLocale(languages: readonly string[]): string {
  for (const language of languages) {
    try {
      const [known] = Intl.DateTimeFormat.supportedLocalesOf(language);
      if (known) return known;
    } catch {
      // Not a language tag: `en-US@posix` if the system's locale is C.
    }
  }
  return 'en';
}
