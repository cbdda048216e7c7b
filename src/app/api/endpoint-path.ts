/** The path of an endpoint with the values of its parameters, escaped, so that no value changes the path. */
export function pathWith(
  { path }: { readonly path: string },
  values: Readonly<Record<string, string>>,
): string {
  return path.replaceAll(/:(\w+)/g, (parameter, name: string) => {
    const value = values[name];
    return value === undefined ? parameter : encodeURIComponent(value);
  });
}
