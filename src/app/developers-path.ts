/** The address of the page for developers; what follows # is one of its parts. */
export const DEVELOPERS_PATH = '/developers';
