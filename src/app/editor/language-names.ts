/** Names in the language of the interface, which is English; undefined for a code that has none. */
function namer(type: 'language' | 'region'): (code: string) => string | undefined {
  const names = new Intl.DisplayNames('en', { type, fallback: 'none' });
  return (code) => {
    try {
      return names.of(code);
    } catch (error) {
      // A code may be well formed to the platform and malformed to Intl.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
}

/** `English` of `en`. */
export const languageName = namer('language');

/** `Germany` of `DE`. */
export const countryName = namer('region');
