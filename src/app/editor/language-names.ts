/** Names in English, the language of the interface; undefined for a code without one. */
function namer(type: 'language' | 'region'): (code: string) => string | undefined {
  const names = new Intl.DisplayNames('en', { type, fallback: 'none' });
  return (code) => {
    try {
      return names.of(code);
    } catch (error) {
      // A code may be well formed for the platform but malformed for Intl.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
}

/** `English` of `en`. */
export const languageName = namer('language');

/** `Germany` of `DE`. */
export const countryName = namer('region');
