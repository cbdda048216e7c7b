/** The members of lists, by account id. */
export const POSTS_2 = `
CREATE TABLE member (list TEXT, account TEXT, PRIMARY KEY (list, account)) WITHOUT ROWID;
`;
