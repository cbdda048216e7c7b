/**
 * Finds the protected users among the objects without reading the others. `meta.protected` is the checksum of those whose
 * Posts were left out of counts when the revision was last raised for it; absent where it never was.
 */
export const POSTS_14 = `
CREATE INDEX protected_user ON object (key)
  WHERE kind = 'users' AND json_type(json, '$.protected') = 'true';
`;
