import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, createServer, preview, type PreviewServer, type ViteDevServer } from 'vite';

/** The address of a server on this machine. */
function addressOf({ httpServer }: ViteDevServer | PreviewServer): string {
  const address = httpServer?.address();
  if (!address || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Serves the modules of this repository to a browser. */
export async function serveModules(): Promise<{
  /** A page of their origin that does not start the app. */
  readonly blank: string;
  close(): Promise<void>;
}> {
  const vite = await createServer({ server: { port: 0, host: '127.0.0.1' }, logLevel: 'error' });
  await vite.listen();
  return { blank: `${addressOf(vite)}/LICENSE`, close: () => vite.close() };
}

/**
 * Builds a page of this folder as the app is built, and serves it.
 *
 * @param outDir - The folder for what is built.
 */
export async function serveBuilt(
  name: string,
  outDir: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const input = `tests/bench/${name}.html`;
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [svelte({ configFile: false })],
    worker: { format: 'es' },
    build: { target: 'es2023', outDir, rolldownOptions: { input } },
  });
  const server = await preview({
    configFile: false,
    logLevel: 'error',
    build: { outDir },
    preview: { port: 0, host: '127.0.0.1' },
  });
  return { url: `${addressOf(server)}/${input}`, close: () => server.close() };
}
