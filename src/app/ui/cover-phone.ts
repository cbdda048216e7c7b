/** Where a drawer covers the page. */
const PHONE = '(max-width: 720px)';

/**
 * Has a complementary element that covers the page on a phone be the only thing there that keys and readers reach: what stands
 * beside the place that holds it is inert.
 *
 * @returns What ends it.
 */
export function modal(drawn: HTMLElement): () => void {
  const phone = matchMedia(PHONE);
  const place = drawn.parentElement;
  const others = [...(place?.parentElement?.children ?? [])].filter((one) => one !== place);
  const cover = (covers: boolean): void => {
    for (const one of others) one.toggleAttribute('inert', covers);
    drawn.setAttribute('role', covers ? 'dialog' : 'complementary');
    if (covers) drawn.setAttribute('aria-modal', 'true');
    else drawn.removeAttribute('aria-modal');
  };
  const turned = (): void => cover(phone.matches);
  turned();
  phone.addEventListener('change', turned);
  return () => {
    phone.removeEventListener('change', turned);
    cover(false);
  };
}
