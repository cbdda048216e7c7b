/** Names the login, by its id, as which a page was opened: another one may have signed in to the browser since. */
export const LOGIN_HEADER = 'x-groundswell-login';

/** The page on which a browser signs in and out, where other machines reach the service. */
export const SIGN_IN_PATH = '/sign-in';

/** Name of the cookie from which a page reads the id of its login, before the port. */
export const LOGIN_COOKIE = '__Host-groundswell-login-';
