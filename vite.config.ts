import { svelte } from '@sveltejs/vite-plugin-svelte';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { minify } from 'terser';
import {
  defineConfig,
  type Plugin,
  type Rolldown,
  type UserConfig,
  type UserConfigFnObject,
} from 'vite';
import { compressed } from './packaging/compressed.ts';
import { licenses } from './packaging/licenses.ts';

/** True for the build of a clone that is started, for which a person waits: minified once, and without brotli. */
const QUICK = process.env['GROUNDSWELL_QUICK_BUILD'] === '1';

/** What is fetched before the first curve, by the start of its name. */
const FIRST = /^assets\/(page|echarts|in-worker)-/;

/**
 * Minifies once more what is fetched before the first curve: together 5 kB less. More passes take twice the time for
 * 0.4 kB, and so does `collapse_vars` for 0.2 kB.
 */
function smaller(): Plugin {
  return {
    name: 'smaller',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      for (const part of Object.values(bundle)) {
        if (part.type !== 'chunk' || !FIRST.test(part.fileName)) continue;
        const { code } = await minify(part.code, {
          module: true,
          ecma: 2020,
          // Nothing here calls a method with `new`, or reads how many parameters a function has.
          compress: { unsafe_methods: true, keep_fargs: false, collapse_vars: false },
        });
        if (code) part.code = code;
      }
    },
  };
}

/** Keeps the file that a worker starts with apart from all that its parts import: WebKit would run that file twice. */
function startsApart(): Plugin {
  return {
    name: 'starts-apart',
    apply: 'build',
    options: (options) => ({ ...options, preserveEntrySignatures: 'strict' }),
  };
}

/** Tells the service worker which files make the page; letters of other scripts are kept when first used. */
function shell(): Plugin {
  return {
    name: 'shell',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const worker = Object.values(bundle).find((part) => part.fileName === 'sw.js');
      if (worker?.type !== 'chunk') return;
      const files = Object.keys(bundle)
        // The page for developers and that of a view link are of no use without the service.
        .filter((name) => !/\.html$|^sw\.js$|\.map$|^assets\/open-(?:developers|view)-/.test(name))
        .filter((name) => !name.endsWith('.woff2') || /-latin-wght-normal/.test(name))
        .concat(readdirSync('public'))
        .map((name) => `/${name}`)
        .sort();
      const version = createHash('sha256');
      for (const part of Object.values(bundle)) {
        version.update(part.type === 'chunk' ? part.code : part.source);
      }
      const told = JSON.stringify({ version: version.digest('hex').slice(0, 12), files });
      worker.code = `globalThis.shell=${told};${worker.code}`;
    },
  };
}

type Graph = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>;

/** Whether a part of the source needs a module without a dynamic import in between. */
function within(part: string, id: string, graph: Graph): boolean {
  const seen = new Set([id]);
  for (const module of seen) {
    if (module.endsWith(part)) return true;
    for (const importer of graph.getModuleInfo(module)?.importers ?? []) seen.add(importer);
  }
  return false;
}

/**
 * The file of a module that the first curve needs: of the page itself or of what draws; null for all others.
 *
 * What draws is one file, because two that share modules weigh 2 kB more. ECharts offers its renderers in one module:
 * taking it along would bring the one for SVG, which only files of pictures need.
 */
function firstFile(id: string, graph: Graph): string | null {
  if (within('/src/app/main.ts', id, graph)) return 'page';
  const draws = within('/src/app/chart/draw/echarts.ts', id, graph);
  return draws && !/svg|renderers/i.test(id) ? 'echarts' : null;
}

/**
 * The file of a module that the page of a view link needs, which would otherwise fetch a hundred; null for all others. The
 * dashboard fetches most of them after its first curve.
 */
const viewFile = (id: string, graph: Graph): string | null =>
  within('/src/app/view/open-view.ts', id, graph) ? 'board' : null;

/** Of packages that export everything from one module, only what is used is compiled: half of the build's time. */
const LAZY = { lazyBarrel: true };

/** The file of a module that a worker needs from its start; null for all others. */
const workerFile = (id: string, graph: Graph): string | null =>
  within('worker.ts', id, graph) ? 'in-worker' : null;

/** A module whose one function does nothing. */
const NOTHING = 'export default function () {}';

/**
 * Modules that packages bring along and nothing here uses, by the end of their path, with what takes their place: the
 * same names without their work. A name that is missing fails the build.
 */
const UNUSED: Readonly<Record<string, string>> = {
  // Words in Chinese, a theme, a spinner, and options as versions of ECharts before 5 had them.
  'echarts/lib/i18n/langZH.js': NOTHING,
  'echarts/lib/theme/dark.js': NOTHING,
  'echarts/lib/loading/default.js': NOTHING,
  'echarts/lib/preprocessor/backwardCompat.js': NOTHING,
  'echarts/lib/legacy/dataSelectAction.js': 'export const handleLegacySelectEvents = () => {};',
  // Patterns, data sets computed from others, tooltips, and symbols and stacks of series.
  'echarts/lib/util/decal.js': 'export const createOrUpdatePatternFromDecal = () => null;',
  'echarts/lib/data/helper/transform.js':
    'export const applyDataTransform = () => [], registerExternalTransform = () => {};',
  'echarts/lib/component/tooltip/seriesFormatTooltip.js':
    'export const defaultSeriesFormatTooltip = () => {};',
  'echarts/lib/visual/symbol.js': 'export const seriesSymbolTask = {}, dataSymbolTask = {};',
  'echarts/lib/processor/dataStack.js': 'export const dataStackStageHandler = {};',
  // Paths written as SVG, and shapes of other charts.
  'zrender/lib/tool/path.js':
    'export const createFromString = () => {}, extendFromString = () => {}, mergePath = () => {}, clonePath = () => {};',
  'zrender/lib/graphic/helper/roundSector.js': 'export const buildPath = () => {};',
  'zrender/lib/graphic/shape/BezierCurve.js': NOTHING,
  'zrender/lib/graphic/shape/Arc.js': NOTHING,
  'zrender/lib/graphic/shape/Ellipse.js': NOTHING,
  'zrender/lib/graphic/shape/Ring.js': NOTHING,
  'zrender/lib/graphic/CompoundPath.js': NOTHING,
  // Events of the mouse and of touches: all that is drawn is silent, and the chart has its own gestures.
  'zrender/lib/dom/HandlerProxy.js': NOTHING,
  'zrender/lib/Handler.js': `import Eventful from './core/Eventful.js';
    export default class extends Eventful {
      constructor() { super(); }
      resize() {} dispose() {} setCursorStyle() {} findHover() { return {}; }
    }`,
  'echarts/lib/util/ECEventProcessor.js': 'export class ECEventProcessor {}',
  'zrender/lib/contain/path.js': 'export const contain = () => false, containStroke = () => false;',
  // Scales other than of numbers, and what they need: the page places and names its own ticks.
  'echarts/lib/scale/Time.js': `export const calcNiceForTimeScale = () => {}; ${NOTHING}`,
  'echarts/lib/scale/Log.js': NOTHING,
  'echarts/lib/scale/Ordinal.js': NOTHING,
  'echarts/lib/coord/axisAlignTicks.js': 'export const scaleCalcAlign = () => {};',
  'echarts/lib/i18n/langEN.js': 'export default {};',
  // Browsers sort stably themselves.
  'zrender/lib/core/timsort.js': 'export default (list, compare) => list.sort(compare);',
};

/** Puts what {@link UNUSED} names in place of modules that nothing uses. */
function unused(): Plugin {
  const ends = Object.keys(UNUSED).map((end) => end.replaceAll('.', String.raw`\.`));
  return {
    name: 'unused',
    apply: 'build',
    enforce: 'pre',
    load: {
      filter: { id: new RegExp(`/node_modules/(?:${ends.join('|')})$`) },
      handler: (id) => UNUSED[id.slice(id.lastIndexOf('/node_modules/') + 14)],
    },
  };
}

/** What only parts fetched later share is fetched with them, not put into the first file. */
const SPLIT = { ...LAZY, chunkOptimization: { mergeCommonChunks: false } };

/**
 * Only style sheets are fetched ahead of a part that needs them. With the names of its scripts too the first file
 * would be 0.9 kB larger, to save one round trip to a service on the same machine.
 */
const PRELOAD = {
  polyfill: false,
  resolveDependencies: (_part: string, needed: readonly string[]) =>
    needed.filter((file) => file.endsWith('.css')),
};

/** In file names. The first file names all others, and seven characters of each hash suffice to tell builds apart. */
const HASH = '[hash:7]';

/** Where `vite` (`npm run dev`) finds a running service. */
const SERVICE = 'http://127.0.0.1:4319';

/** What answers assistants over stdio, and what that part of its package needs: the rest serves HTTP. */
const ASSISTANTS = [
  /^@modelcontextprotocol\//,
  'zod',
  /^ajv/,
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
  'require-from-string',
];

/** The program of reports, in one file with all that it needs. */
const REPORT: UserConfig = {
  plugins: [svelte({ configFile: false }), licenses().program],
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'node20',
    outDir: 'dist/report',
    emptyOutDir: true,
    // As for a page: the parts of a board then compute their figures once, not at every use.
    lib: { entry: 'src/app/report/main.ts', formats: ['es'], fileName: 'main' },
    rolldownOptions: { output: { codeSplitting: false } },
  },
};

const { program, worker } = licenses();

/** The holidays of countries, and what computes the movable ones. */
const HOLIDAYS = [
  /^date-/,
  'astronomia',
  'caldate',
  'deepmerge',
  'jalaali-js',
  'moment',
  'moment-timezone',
];

const programs: UserConfigFnObject = ({ isSsrBuild }) => ({
  // After the shell, which does not list the licenses: the page needs no copy of them offline.
  plugins: isSsrBuild
    ? [program]
    : [
        unused(),
        svelte({ configFile: false }),
        !QUICK && smaller(),
        shell(),
        program,
        compressed(QUICK),
      ],
  publicDir: isSsrBuild ? false : 'public',
  // The page of a view link has its files below its own path.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  worker: {
    format: 'es',
    plugins: () => [startsApart(), !QUICK && smaller(), worker],
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: workerFile }] } } },
  },
  resolve: {
    alias: [
      // As browsers have it; the package's own entry is for older ones and larger.
      { find: /^dexie$/, replacement: 'dexie/dist/modern/dexie.mjs' },
    ],
  },
  // Bundled, so that an installation needs neither them nor what they depend on: 45 MB for holidays, of which 2 are used,
  // and 81 packages for assistants.
  ssr: { noExternal: [/valibot/, /date-fns/, ...ASSISTANTS, ...HOLIDAYS] },
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
        modulePreload: PRELOAD,
        rolldownOptions: {
          experimental: SPLIT,
          input: { index: 'index.html', sw: 'src/app/sw.ts' },
          output: {
            codeSplitting: {
              groups: [{ name: firstFile, priority: 1 }, { name: viewFile }],
            },
            entryFileNames: (chunk) => (chunk.name === 'sw' ? 'sw.js' : `assets/[name]-${HASH}.js`),
            chunkFileNames: `assets/[name]-${HASH}.js`,
            assetFileNames: `assets/[name]-${HASH}[extname]`,
          },
        },
      },
  server: {
    proxy: Object.fromEntries(
      [
        '/2',
        '/sample',
        '/sources',
        '/session',
        '/changes',
        '/breakdown',
        '/collections',
        '/platform',
        '/import',
        '/usage',
        '/accounts',
        '/apps',
        '/webhooks',
        '/streams',
        '/catalogs',
        '/advertisers',
        '/notes',
      ].map((path) => [
        path,
        // The service answers its own pages alone, so the module server's look like them.
        { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } },
      ]),
    ),
  },
});

/**
 * `vite build` makes the dashboard in dist/app, `vite build --ssr` the service in dist/server, and
 * `vite build --mode report` the program of reports in dist/report.
 */
export default defineConfig((env) => (env.mode === 'report' ? REPORT : programs(env)));
