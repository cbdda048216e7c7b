let names: readonly string[] = [];

/** Names of the collections that queries of the shown source can contain, as far as they are known. */
export function collectionNames(): readonly string[] {
  return names;
}

/** Offers names from now on; none for sources without collections. */
export function offerCollections(offered: readonly string[]): void {
  names = offered;
}
