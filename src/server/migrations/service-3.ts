/** What an account shows and may do, as JSON of `contract/accounts/accounts.ts`; empty for accounts of earlier programs. */
export const SERVICE_3 = `
ALTER TABLE account ADD COLUMN profile TEXT NOT NULL DEFAULT '{}';
CREATE INDEX token_by_account ON token (account);
`;
