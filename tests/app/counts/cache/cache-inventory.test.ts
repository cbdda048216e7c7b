import { inventoryLaws } from '#tests/support/inventory-laws.ts';
import { testCache } from '#tests/support/test-cache.ts';

inventoryLaws(testCache, 12);
