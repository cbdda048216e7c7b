/**
 * Room for deliveries. `more` of a dead letter without a body says how many earlier deliveries of its subscription were
 * given up for the same reason and have no row of their own. `trimmed` has the webhooks of which deliveries were removed
 * to make room; `at` is the time of the latest event among those, epoch ms.
 */
export const DELIVERIES_2 = `
ALTER TABLE delivery ADD COLUMN more INTEGER NOT NULL DEFAULT 0;
CREATE INDEX delivery_waiting ON delivery (id) WHERE state = 0;
CREATE INDEX delivery_letter ON delivery (settled_at) WHERE state = 2 AND body IS NOT NULL;
CREATE INDEX delivery_bodiless ON delivery (webhook, subscription, fault, id) WHERE state = 2 AND body IS NULL;
CREATE TABLE trimmed (webhook TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
`;
