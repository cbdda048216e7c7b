import { inventoryLaws } from '#tests/support/data/inventory-laws.ts';
import { runs } from '#tests/support/run/runs.ts';
import { testCache } from '#tests/support/run/test-cache.ts';

inventoryLaws(testCache, runs(40));
