/** A character that no text column stores and gives back: NUL, or half of one. */
export const UNSTORED = /[\0\p{Surrogate}]/u;
