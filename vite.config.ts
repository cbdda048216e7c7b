import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** `vite build` makes the dashboard in dist/app, `vite build --ssr` the service in dist/server. */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: isSsrBuild ? [] : [svelte()],
  publicDir: isSsrBuild ? false : 'public',
  worker: { format: 'es' },
  ssr: { noExternal: ['valibot', 'fflate'] },
  build: isSsrBuild
    ? {
        ssr: true,
        target: 'node20',
        outDir: 'dist/server',
        emptyOutDir: true,
        rollupOptions: { input: 'src/server/main.ts' },
      }
    : {
        target: 'es2023',
        outDir: 'dist/app',
        emptyOutDir: true,
        rollupOptions: {
          input: { index: 'index.html', sw: 'src/app/sw.ts' },
          output: {
            entryFileNames: (chunk) => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
          },
        },
      },
  server: { proxy: { '/2': 'http://127.0.0.1:4319', '/sample': 'http://127.0.0.1:4319' } },
}));
