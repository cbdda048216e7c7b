import { inventoryLaws } from '#tests/support/data/inventory-laws.ts';
import { testCache } from '#tests/support/run/test-cache.ts';

inventoryLaws(testCache, 12);
