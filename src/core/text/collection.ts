/** The term of every Post in a collection, by the collection's number, which stays when its name changes. */
export function collectionTerm(id: number): string {
  return `in:${id}`;
}
