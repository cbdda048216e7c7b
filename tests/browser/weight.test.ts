import type { Request } from 'playwright';
import { describe, expect, it } from 'vitest';
import { FIRST_CURVE_MS } from '#app/preload.ts';
import { visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { firstCurveWeights, MOST_BYTES } from '#tests/support/browser/weight.ts';

describe('JavaScript before the first curve', () => {
  const weights = firstCurveWeights();

  const stage = ownStage();

  it('weighs at most 300 kB gzipped', () => {
    const sum = weights.reduce((bytes, weight) => bytes + weight.bytes, 0);
    const parts = weights.map(({ part, file, bytes }) => `${part}: ${file} ${bytes}`).join('\n');
    expect(sum, `${sum} bytes:\n${parts}`).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('is everything that a visit fetches until the curve is on the canvas', async () => {
    const { context, page } = await visit(stage.browser);
    const requests: Request[] = [];
    context.on('request', (request) => requests.push(request));
    // Both times are of the browser's clock: events reach this process late on a busy machine.
    let drawnAt = 0;
    await page.exposeFunction('curveIsDrawn', (at: number) => (drawnAt = at));
    await page.addInitScript((most) => {
      // After this time without a curve the page loads the rest, which a busy machine may take.
      const { setTimeout } = window;
      const within = (act: () => void, ms = 0) => (ms < most ? setTimeout(act, ms) : 0);
      window.setTimeout = within as typeof setTimeout;
      const { stroke } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.stroke = function (path?: Path2D) {
        CanvasRenderingContext2D.prototype.stroke = stroke;
        const at = performance.timeOrigin + performance.now();
        (window as unknown as { curveIsDrawn(at: number): void }).curveIsDrawn(at);
        if (path) stroke.call(this, path);
        else (stroke as () => void).call(this);
      };
    }, FIRST_CURVE_MS);
    await page.goto(`${stage.service.url}/#source=sample&range=1y&zone=UTC&by=day&q=matcha`);
    await expect.poll(() => drawnAt, { timeout: 20_000 }).toBeGreaterThan(0);
    const fetched: string[] = [];
    for (const request of requests) {
      const [, file] = /\/assets\/([\w.-]+\.js)$/.exec(request.url()) ?? [];
      await request.response();
      if (file && request.timing().startTime < drawnAt) fetched.push(file);
    }
    const known = new Set(weights.map(({ file }) => file));
    expect(fetched.filter((file) => !known.has(file))).toEqual([]);
    expect(fetched.length).toBeGreaterThan(2);
    await context.close();
  });
});
