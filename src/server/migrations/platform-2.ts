/** The id of the login that a purchase was made for; null for programs, and where only this machine reaches the service. */
export const PLATFORM_2 = `
ALTER TABLE purchase ADD COLUMN login TEXT;
CREATE INDEX purchase_login ON purchase (login, day, outcome, price) WHERE login IS NOT NULL;
`;
