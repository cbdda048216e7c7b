/** Finds the users that imports brought by their usernames. */
export const POSTS_6 = `
CREATE INDEX user_by_name ON object (lower(json_extract(json, '$.username'))) WHERE kind = 'users';
`;
