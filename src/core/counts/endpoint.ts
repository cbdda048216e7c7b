/** `recent`: last 7 days; `all`: the archive since 2006-03-21 (specification, Post counts). */
export type CountsEndpoint = 'recent' | 'all';
