import { createServer } from 'vite';

/** Serves the modules of this repository to a browser. */
export async function serveModules(): Promise<{
  /** A page of their origin that does not start the app. */
  readonly blank: string;
  close(): Promise<void>;
}> {
  const vite = await createServer({ server: { port: 0, host: '127.0.0.1' }, logLevel: 'error' });
  await vite.listen();
  const address = vite.httpServer?.address();
  if (!address || typeof address === 'string') throw new Error('the module server has no port');
  const blank = `http://127.0.0.1:${address.port}/LICENSE`;
  return { blank, close: () => vite.close() };
}
