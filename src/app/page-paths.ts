/** The address of the page for developers; what follows # is one of its parts. */
export const DEVELOPERS_PATH = '/developers';
/** The path of the page of a view link, with the secret; all that it reads is below it. */
export const VIEW_PATH = /^\/view\/[^/]+\//;
