import axe from 'axe-core';

/**
 * Finds breaches of the rules of accessibility in a part of the page.
 *
 * @returns The rule and the elements of each.
 */
export async function violationsIn(
  part: Element | string,
  options: axe.RunOptions = {},
): Promise<string[]> {
  const { violations } = await axe.run(part, options);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
