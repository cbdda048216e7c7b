import { cacheLaws } from '#tests/support/cache-laws.ts';
import { MemoryCache } from '#tests/support/memory-cache.ts';

cacheLaws(() => new MemoryCache());
