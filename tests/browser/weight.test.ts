import { describe, expect, it } from 'vitest';
import { visit } from '#tests/support/browser.ts';
import { ownStage } from '#tests/support/stage.ts';
import { firstCurveWeights, MOST_BYTES } from '#tests/support/weight.ts';

describe('JavaScript before the first curve', () => {
  const weights = firstCurveWeights();

  const stage = ownStage();

  it('weighs at most 320 kB gzipped', () => {
    const sum = weights.reduce((bytes, one) => bytes + one.bytes, 0);
    const parts = weights.map(({ part, file, bytes }) => `${part}: ${file} ${bytes}`).join('\n');
    expect(sum, `${sum} bytes:\n${parts}`).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('is everything that a visit fetches until the curve is on the canvas', async () => {
    const { context, page } = await visit(stage.browser);
    const fetched: string[] = [];
    let drawn = false;
    context.on('request', (request) => {
      const [, file] = /\/assets\/([\w.-]+\.js)$/.exec(request.url()) ?? [];
      if (file && !drawn) fetched.push(file);
    });
    await page.exposeFunction('curveIsDrawn', () => (drawn = true));
    await page.addInitScript(() => {
      const { stroke } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.stroke = function (path?: Path2D) {
        CanvasRenderingContext2D.prototype.stroke = stroke;
        (window as unknown as { curveIsDrawn(): void }).curveIsDrawn();
        if (path) stroke.call(this, path);
        else (stroke as () => void).call(this);
      };
    });
    await page.goto(`${stage.service.url}/#source=sample&range=1y&zone=UTC&by=day&q=matcha`);
    await expect.poll(() => drawn, { timeout: 20_000 }).toBe(true);
    const known = new Set(weights.map(({ file }) => file));
    expect(fetched.filter((file) => !known.has(file))).toEqual([]);
    expect(fetched.length).toBeGreaterThan(2);
    await context.close();
  });
});
