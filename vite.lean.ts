import type { Plugin } from 'vite';

/**
 * What ECharts loads without being asked and a chart of lines on two linear axes, that hears no pointer, never
 * runs; and what Svelte loads for custom elements, of which the page has none. Each has a stand-in with the names that
 * others import.
 */
const UNUSED: Readonly<Record<string, string>> = {
  'echarts/lib/component/tooltip/seriesFormatTooltip.js':
    'export const defaultSeriesFormatTooltip = () => null',
  'echarts/lib/data/helper/transform.js':
    'export const registerExternalTransform = () => undefined, applyDataTransform = () => []',
  'echarts/lib/i18n/langEN.js': 'export default {}',
  'echarts/lib/i18n/langZH.js': 'export default {}',
  'echarts/lib/legacy/dataSelectAction.js':
    'export const handleLegacySelectEvents = () => undefined, createLegacyDataSelectAction = () => undefined',
  'echarts/lib/loading/default.js': 'export default () => null',
  'echarts/lib/preprocessor/backwardCompat.js': 'export default () => undefined',
  'echarts/lib/scale/Log.js': 'export default class {}',
  'echarts/lib/scale/Ordinal.js': 'export default class {}',
  'echarts/lib/scale/Time.js':
    'export default class {}; export const calcNiceForTimeScale = () => undefined',
  'echarts/lib/theme/dark.js': 'export default {}',
  'echarts/lib/util/decal.js': 'export const createOrUpdatePatternFromDecal = () => null',
  'echarts/lib/chart/line/lineAnimationDiff.js': 'export default () => []',
  'zrender/lib/Handler.js':
    'export default class { on() {} off() {} trigger() {} resize() {} dispose() {} setCursorStyle() {} findHover() {} }',
  'zrender/lib/dom/HandlerProxy.js': 'export default class {}',
  'zrender/lib/graphic/helper/roundSector.js': 'export const buildPath = () => undefined',
  'zrender/lib/tool/path.js':
    'export const createFromString = () => null, extendFromString = () => null, mergePath = () => null, clonePath = () => null',
  'svelte/src/internal/client/dom/elements/custom-element.js':
    'export const create_custom_element = () => null',
};

/**
 * Leaves the unused parts of ECharts and Svelte out of the page: some 18 kB less to be fetched before the first curve.
 *
 * @throws {Error} where the page no longer loads one of them: another version has put it elsewhere.
 */
export function lean(): Plugin {
  const left = new Set(Object.keys(UNUSED));
  return {
    name: 'lean',
    apply: 'build',
    load(id) {
      const [, part = ''] =
        /node_modules\/((?:echarts\/lib|zrender\/lib|svelte\/src)\/[^?]+)$/.exec(id) ?? [];
      left.delete(part);
      return UNUSED[part] ?? null;
    },
    buildEnd(error) {
      if (!error && left.size > 0) this.error(`nothing loads ${[...left].join(', ')} any more`);
    },
  };
}
