import { MemoryCache } from '#tests/support/memory-cache.ts';
import { shelfLaws } from '#tests/support/shelf-laws.ts';

shelfLaws(() => new MemoryCache(), 50);
