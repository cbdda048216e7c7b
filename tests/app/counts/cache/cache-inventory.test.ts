import { shelfLaws } from '#tests/support/shelf-laws.ts';
import { testCache } from '#tests/support/test-cache.ts';

shelfLaws(testCache, 12);
